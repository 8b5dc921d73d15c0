/** `ghostfleet shrink`: reduces a failing scenario to the parts that make it fail. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { readText } from '../input/text-file.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { formatDuration, type Millis, minutes, parseDuration } from '../kernel/time.js';
import { reserve, writeWhole } from '../kernel/write-files.js';
import type { RunResult } from '../report/result.js';
import { MOST_WORKERS } from '../runner/run.js';
import { pinned } from '../scenario/shrink/cuts.js';
import { normalised } from '../scenario/shrink/document.js';
import { failureOf, fixedNumbers, shortfallOf } from '../scenario/shrink/failure.js';
import { shrink as reduce } from '../scenario/shrink/shrink.js';
import type { AttemptOutcome } from './attempt.js';
import { Attempts } from './attempts.js';
import { checked, command, wholeNumber } from './command.js';
import type { Host } from './host.js';
import { loadPlan } from './read-files.js';
import { checkTrust, type TrustFlags, trustOptions, trustWords } from './trust.js';
import { SEED } from './values.js';

interface ShrinkFlags extends TrustFlags {
  readonly file: string;
  readonly seed: number | undefined;
  readonly out: string | undefined;
  readonly budget: Millis | undefined;
  readonly workers: number | undefined;
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
      )
      .option(
        'workers',
        checked(
          {
            describe:
              'number of smaller scenarios that run at the same time, with the same result (default: number of cores)',
          },
          'workers',
          `a whole number from 1 to ${MOST_WORKERS}`,
          wholeNumber(1, MOST_WORKERS),
        ),
      ),
  execute,
);

async function execute(flags: ShrinkFlags, host: Host): Promise<ExitCode> {
  const { file, seed, out, budget = BUDGET, workers = Math.min(host.cores, MOST_WORKERS) } = flags;
  const target = out ?? join(dirname(file), `${basename(file, extname(file))}-small.yaml`);
  if (existsSync(target) && existsSync(file) && realpathSync(target) === realpathSync(file)) {
    throw new UsageError('bad-flags', `--out "${target}" is the scenario itself; choose another file`);
  }
  const { plan, profiles } = loadPlan(file, { seed, allowFiles: flags.allowFile });
  checkTrust(plan, flags);
  reserve(target);
  const { allowFile, allowHost } = flags;
  const attempts = new Attempts({ file, profiles, allowFile, allowHost, workers }, host);
  try {
    const began = host.stopwatch();
    host.err.write(`running ${file} with seed ${plan.seed}\n`);
    const first = await attempts.first(readText(file), plan.seed);
    if (first.passed)
      throw new UsageError('passes', `"${file}" passes with seed ${plan.seed}, so there is nothing to reduce`);
    if (first.exitCode === EXIT.interrupted) return nothingFound(host);
    const failure = failureOf(first);
    const lines = first.expectations.filter(({ passed }) => !passed).map(({ line }) => line);
    const serials = plan.groups.map((_, index) => plan.devices.find(({ group }) => group === index)?.serial ?? 0);
    const source = normalised(readText(file));
    const strict = pinned(source, plan.seed, lines, serials);
    const fails = async (text: string, signal?: AbortSignal) =>
      failsLike(await attempts.outcome(text, signal), failure);
    const result = await reduce({
      text: (await fails(strict)) ? strict : source,
      stillFails: fails,
      shortfall: async (text, signal) => {
        const outcome = await attempts.outcome(text, signal);
        return outcome && shortfallOf(outcome, lines);
      },
      atOnce: workers,
      enough: () => attempts.interrupted || host.stopwatch() - began > budget,
      onCut: ({ about }, tries) => host.err.write(`${String(tries).padStart(5)} tries  ${about}\n`),
    });
    if (attempts.interrupted && result.cuts === 0) return nothingFound(host);
    const { causes } = result;
    writeWhole(target, withOrigin(result.text, { file, seed: plan.seed, target, failure: lines, first, causes }));
    return await confirm(target, failure, { ...result, lines, budget, attempts, trust: flags }, host);
  } finally {
    await attempts.close();
  }
}

/** Says that the command was interrupted before its first cut. */
function nothingFound(host: Host): ExitCode {
  host.out.write('interrupted: no smaller scenario has been found yet\n');
  return EXIT.interrupted;
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
  const again = attempts.interrupted ? undefined : await attempts.of(target, readText(target));
  if (attempts.interrupted) {
    host.out.write(`interrupted: ${target} has the smallest scenario found so far\n`);
    return EXIT.interrupted;
  }
  if (!failsLike(again, failure)) {
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

/** Lines about the faults that cause the failure, and about those that contribute to it and are not in the result. */
function reasons({ causes, largest, dropped }: Found): readonly string[] {
  return [
    ...causes.map((cause) => `cause: without the fault "${cause}", both the result and the original pass`),
    ...(largest === undefined
      ? []
      : [`cause: the fault "${largest}" is the largest of several causes in the original`]),
    ...dropped.map(
      (fault) => `dropped: the fault "${fault}" is a smaller cause in the original, and not in the result`,
    ),
  ];
}

/** Whether an attempt fails in the same way. */
function failsLike(outcome: AttemptOutcome | undefined, failure: string): boolean {
  return outcome !== undefined && failureOf(outcome) === failure;
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
