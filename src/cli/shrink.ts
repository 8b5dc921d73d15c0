/** `ghostfleet shrink`: reduces a failing scenario to the parts that make it fail. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { readText } from '../input/text-file.js';
import { EXIT, type ExitCode, GhostfleetError, InterruptedError, UsageError } from '../kernel/errors.js';
import { formatDuration, type Millis, minutes, parseDuration } from '../kernel/time.js';
import { reserve, writeWhole } from '../kernel/write-files.js';
import type { RunResult } from '../report/result.js';
import { type RunControl, run } from '../runner/run.js';
import { pinned } from '../scenario/shrink/cuts.js';
import { normalised } from '../scenario/shrink/document.js';
import { failureOf, fixedNumbers, shortfallOf } from '../scenario/shrink/failure.js';
import { shrink as reduce } from '../scenario/shrink/shrink.js';
import { checked, command } from './command.js';
import type { Host } from './host.js';
import { createLog } from './logs.js';
import { loadPlan, type Profiles, planOf } from './read-files.js';
import { checkTrust, type TrustFlags, trustOptions, trustWords } from './trust.js';
import { SEED } from './values.js';

interface ShrinkFlags extends TrustFlags {
  readonly file: string;
  readonly seed: number | undefined;
  readonly out: string | undefined;
  readonly budget: Millis | undefined;
}

const BUDGET = minutes(2);

export const shrink = command<ShrinkFlags>(
  (parser) =>
    trustOptions(parser)
      .positional('file', { type: 'string', demandOption: true, describe: 'file of a failing scenario' })
      .option('seed', SEED)
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe: 'file for the result (default: FILE-small.yaml in the same folder)',
      })
      .option(
        'budget',
        checked(
          { describe: 'time limit of the search (default: 2m)' },
          'budget',
          'a duration such as "30s" or "5m"',
          (text) => parseDuration(text) || undefined,
        ),
      ),
  execute,
);

async function execute(flags: ShrinkFlags, host: Host): Promise<ExitCode> {
  const { file, seed, out, budget = BUDGET } = flags;
  const target = out ?? join(dirname(file), `${basename(file, extname(file))}-small.yaml`);
  if (existsSync(target) && existsSync(file) && realpathSync(target) === realpathSync(file)) {
    throw new UsageError('bad-flags', `--out "${target}" is the scenario itself; choose another file`);
  }
  const { plan, profiles } = loadPlan(file, { seed, allowFiles: flags.allowFile });
  checkTrust(plan, flags);
  reserve(target);
  const attempts = new Attempts(host, flags);
  try {
    const began = host.stopwatch();
    host.err.write(`running ${file} with seed ${plan.seed}\n`);
    const first = await attempts.run(readText(file), file, plan.seed);
    if (first.passed)
      throw new UsageError('passes', `"${file}" passes with seed ${plan.seed}, so there is nothing to reduce`);
    if (first.exitCode === EXIT.interrupted) return EXIT.interrupted;
    const failure = failureOf(first);
    const lines = first.expectations.filter(({ passed }) => !passed).map(({ line }) => line);
    const serials = plan.groups.map((_, index) => plan.devices.find(({ group }) => group === index)?.serial ?? 0);
    const source = normalised(readText(file));
    const strict = pinned(source, plan.seed, lines, serials);
    const fails = (text: string) => attempts.failsLike(text, file, failure, profiles);
    const result = await reduce({
      text: (await fails(strict)) ? strict : source,
      stillFails: fails,
      shortfall: (text) => attempts.shortfall(text, file, lines, profiles),
      enough: () => attempts.interrupted || host.stopwatch() - began > budget,
      onCut: ({ about }, tries) => host.err.write(`${String(tries).padStart(5)} tries  ${about}\n`),
    });
    const { causes } = result;
    writeWhole(target, withOrigin(result.text, { file, seed: plan.seed, target, failure: lines, first, causes }));
    return await confirm(target, failure, { ...result, lines, budget, attempts, trust: flags }, host);
  } finally {
    attempts.end();
  }
}

interface Found {
  readonly cuts: number;
  readonly tries: number;
  readonly minimal: boolean;
  readonly causes: readonly string[];
  readonly largest: string | undefined;
  readonly dropped: readonly string[];
  readonly lines: readonly string[];
  readonly budget: Millis;
  readonly attempts: Attempts;
  readonly trust: TrustFlags;
}

/** Runs the written file in its folder, where it must fail in the same way, and prints the result. */
async function confirm(target: string, failure: string, found: Found, host: Host): Promise<ExitCode> {
  const { cuts, tries, minimal, lines, budget, attempts, trust } = found;
  if (attempts.interrupted) {
    host.out.write(`interrupted: ${target} has the smallest scenario found so far\n`);
    return EXIT.interrupted;
  }
  if (!(await attempts.failsLike(readText(target), target, failure))) {
    throw new UsageError(
      'not-here',
      `${target} does not fail in the same way in its folder`,
      'paths in a scenario are relative to its folder: choose a path for --out in the folder of the original',
    );
  }
  const { plan } = loadPlan(target, { allowFiles: trust.allowFile });
  const size = `${plan.devices.length} ${plan.devices.length === 1 ? 'device' : 'devices'}, ${formatDuration(plan.duration)}`;
  const end = minimal
    ? 'nothing more can be removed'
    : `stopped after ${formatDuration(budget)}; --budget sets the time limit`;
  host.out.write(`${target}: ${size}; ${cuts} cuts in ${tries} tries, ${end}\n`);
  for (const line of reasons(found)) host.out.write(`${line}\n`);
  for (const line of fixedNumbers(lines)) {
    host.out.write(
      `note: "${line}" compares with a fixed number, so it may fail only because the scenario is smaller\n`,
    );
  }
  host.out.write(`ghostfleet ${['run', target, ...trustWords(trust)].join(' ')}\n`);
  return EXIT.fine;
}

/** Which faults are the reason, and which are not in the result although they contribute to the failure of the original. */
function reasons({ causes, largest, dropped }: Found): readonly string[] {
  return [
    ...causes.map((cause) => `cause: without the fault "${cause}" it passes, as the original does`),
    ...(largest === undefined
      ? []
      : [`cause: the fault "${largest}" is the largest of several causes in the original`]),
    ...dropped.map(
      (fault) => `dropped: the fault "${fault}" is a smaller cause in the original, and not in the result`,
    ),
  ];
}

/** Runs scenario texts in virtual time, one after the other. */
class Attempts {
  readonly #host: Host;
  readonly #trust: TrustFlags;
  readonly #forget: () => void;
  #control: RunControl | undefined;
  interrupted = false;

  constructor(host: Host, trust: TrustFlags) {
    this.#host = host;
    this.#trust = trust;
    this.#forget = host.onInterrupt((signal) => {
      this.interrupted = true;
      this.#control?.stop(new InterruptedError(signal));
    });
  }

  end(): void {
    this.#forget();
  }

  /** @param known profiles (default: those next to the file) */
  run(text: string, file: string, seed?: number, known?: Profiles): Promise<RunResult> {
    return run({
      ...planOf(text, file, { seed, profiles: known, allowFiles: this.#trust.allowFile }),
      connectorHosts: this.#trust.allowHost,
      clock: 'virtual',
      speed: 1,
      transport: 'memory',
      db: 'memory',
      sinks: [],
      log: createLog(this.#host.err, 'silent'),
      reproduce: '',
      out: null,
      stopwatch: () => this.#host.stopwatch(),
      started: (control) => {
        this.#control = control;
      },
    });
  }

  /** Whether the scenario fails in the same way. False for an invalid scenario and for one that cannot be run. */
  async failsLike(text: string, file: string, failure: string, known?: Profiles): Promise<boolean> {
    const result = await this.#result(text, file, known);
    return result !== undefined && failureOf(result) === failure;
  }

  /** How far a run of the text is from meeting these expectations; undefined if it cannot be run. */
  async shortfall(text: string, file: string, lines: readonly string[], known: Profiles): Promise<number | undefined> {
    const result = await this.#result(text, file, known);
    return result && shortfallOf(result, lines);
  }

  /** The result of a run of the text; undefined for an invalid scenario and for one that cannot be run. */
  async #result(text: string, file: string, known: Profiles | undefined): Promise<RunResult | undefined> {
    try {
      return await this.run(text, file, undefined, known);
    } catch (error) {
      if (error instanceof GhostfleetError) return undefined;
      throw error;
    }
  }
}

interface Origin {
  readonly file: string;
  readonly seed: number;
  readonly target: string;
  readonly failure: readonly string[];
  readonly first: RunResult;
  readonly causes: readonly string[];
}

/** Replaces the comment at the top of the original with one that states the origin of the result. */
function withOrigin(text: string, { file, seed, target, failure, first, causes }: Origin): string {
  const fails = [...failure, ...(first.failure === null ? [] : [first.failure])];
  const head = [
    `Reduced by "ghostfleet shrink" from ${basename(file)} with seed ${seed}. It fails in the same way:`,
    ...fails.map((line) => `    ${line}`),
    ...causes.map((cause) => `Without the fault "${cause}" it passes.`),
    `    ghostfleet run ${basename(target)}`,
  ];
  const body = text.replace(/^(?:[ \t]*(?:#.*)?\r?\n)+/, '');
  return `${head.map((line) => `# ${line.replaceAll('\n', ' ')}`).join('\n')}\n\n${body.trimEnd()}\n`;
}
