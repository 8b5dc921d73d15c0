/** `ghostfleet shrink`: reduces a failing scenario to the parts that make it fail. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { EXIT, type ExitCode, GhostfleetError, UsageError } from '../kernel/errors.js';
import { formatDuration, type Millis, minutes, parseDuration } from '../kernel/time.js';
import { shownCommand } from '../kernel/web-address.js';
import { KINDS, reserve, writeWhole } from '../kernel/write-files.js';
import { MOST_WORKERS } from '../runner/play.js';
import type { Plan } from '../scenario/model/plan.js';
import { planDigest } from '../scenario/plan/describe.js';
import { pinned } from '../scenario/shrink/cuts.js';
import { normalised } from '../scenario/shrink/document.js';
import { failureOf, fixedNumbers, missedOf, shortfallOf } from '../scenario/shrink/failure.js';
import { shrink as reduce } from '../scenario/shrink/shrink.js';
import type { AttemptOutcome } from './attempt.js';
import { Attempts } from './attempts.js';
import { checkOption, defineCommand, expectWholeNumber } from './command.js';
import { findScenario, SCENARIO_FILE } from './find-scenario.js';
import type { Host } from './host.js';
import { readPlan } from './read-files.js';
import { addTrustOptions, checkTrust, listTrustWords, type TrustFlags } from './trust.js';
import { SEED } from './values.js';

interface ShrinkFlags extends TrustFlags {
  readonly file: string;
  readonly seed: number | undefined;
  readonly out: string | undefined;
  readonly budget: Millis | undefined;
  readonly workers: number | undefined;
}

const BUDGET = minutes(2);

export const shrink = defineCommand<ShrinkFlags>(
  (parser) =>
    addTrustOptions(parser)
      .positional('file', { type: 'string', demandOption: true, describe: SCENARIO_FILE })
      .option('seed', SEED)
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe:
          'file for the result (default: FILE-small.yaml in the same folder; in the current folder for a packaged scenario)',
      })
      .option(
        'budget',
        checkOption(
          { describe: 'time limit of the search (default: 2m)' },
          'budget',
          'a duration such as "30s" or "5m"',
          (text) => parseDuration(text) || undefined,
        ),
      )
      .option(
        'workers',
        checkOption(
          {
            describe:
              'number of smaller scenarios that run at the same time, with the same result (default: number of cores)',
          },
          'workers',
          `a whole number from 1 to ${MOST_WORKERS}`,
          expectWholeNumber(1, MOST_WORKERS),
        ),
      ),
  execute,
);

async function execute(flags: ShrinkFlags, host: Host): Promise<ExitCode> {
  const { seed, allowFile, allowHost, budget = BUDGET, workers = Math.min(host.cores, MOST_WORKERS) } = flags;
  const name = flags.file;
  const { text: original, path: file } = await findScenario(name, host);
  const target = flags.out ?? chooseTarget(name, file);
  if (isSameFile(target, file))
    throw new UsageError('bad-flags', `--out "${target}" is the scenario itself; choose another file`);
  const { plan, profiles, files } = readPlan(original, file, { seed, allowFiles: allowFile });
  if (files.some((other) => isSameFile(target, other)))
    throw new UsageError('bad-flags', `--out "${target}" is a file that the scenario names; choose another file`);
  checkTrust(plan, flags);
  reserve(target, KINDS.reduced);
  checkFolder({ text: original, file, target, plan, seed, allowFile });
  const attempts = new Attempts({ file, profiles, allowFile, allowHost, workers }, host);
  try {
    const began = host.stopwatch();
    host.err.write(`running ${name} with seed ${plan.seed}\n`);
    const first = await attempts.runFirst(original, plan.seed);
    if (first.passed)
      throw new UsageError('passes', `"${name}" passes with seed ${plan.seed}, so there is nothing to reduce`);
    if (first.exitCode === EXIT.interrupted) return sayNothingFound(host);
    const failure = failureOf(first);
    const lines = missedOf(first.expectations).map(({ line }) => line);
    const serials = plan.groups.map((_, index) => plan.devices.find(({ group }) => group === index)?.serial ?? 0);
    const source = normalised(original);
    const strict = pinned(source, plan.seed, lines, serials);
    const fails = async (text: string, signal?: AbortSignal) =>
      isSameFailure(await attempts.tryText(text, signal), failure);
    const result = await reduce({
      text: (await fails(strict)) ? strict : source,
      stillFails: fails,
      shortfall: async (text, signal) => {
        const outcome = await attempts.tryText(text, signal);
        return outcome && shortfallOf(outcome, lines);
      },
      atOnce: workers,
      enough: () => attempts.interrupted || host.stopwatch() - began > budget,
      onCut: ({ about }, tries) => host.err.write(`${formatProgress(tries)}  ${about}\n`),
    });
    if (attempts.interrupted && result.cuts === 0) return sayNothingFound(host);
    const outcome = (await attempts.tryText(result.text)) ?? first;
    const { causes } = result;
    const text = addOrigin(result.text, { file: name, seed: plan.seed, target, outcome, causes, trust: flags });
    return await finish(target, failure, { ...result, text, outcome, budget, attempts, trust: flags }, host);
  } finally {
    await attempts.close();
  }
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}

/** The file for the result if the command line does not name one. @param name the scenario as it was typed */
function chooseTarget(name: string, file: string): string {
  if (name === '-') return 'stdin-small.yaml';
  const small = `${basename(file, extname(file))}-small.yaml`;
  // A packaged scenario is not in the folder of its name.
  return name === file ? join(dirname(file), small) : small;
}

interface Folder {
  readonly text: string;
  readonly file: string;
  readonly target: string;
  readonly plan: Plan;
  readonly seed: number | undefined;
  readonly allowFile: readonly string[];
}

/** @throws UsageError if the scenario would be another one, or invalid, in the folder of the result */
function checkFolder({ text, file, target, plan, seed, allowFile }: Folder): void {
  if (resolve(dirname(file)) === resolve(dirname(target))) return;
  try {
    const there = readPlan(text, target, { seed, allowFiles: allowFile });
    if (planDigest(there.plan) === planDigest(plan)) return;
  } catch (error) {
    if (!(error instanceof GhostfleetError)) throw error;
  }
  throw makeNotHereError(target);
}

function makeNotHereError(target: string): UsageError {
  return new UsageError(
    'not-here',
    `the scenario does not fail in the same way in the folder of "${target}"`,
    'paths in a scenario are relative to its folder: choose a path for --out in the folder of the original',
  );
}

/** `    7 tries`; the words of successive lines are aligned. */
function formatProgress(tries: number): string {
  return `${String(tries).padStart(5)} ${tries === 1 ? 'try  ' : 'tries'}`;
}

function formatCount(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Says that the command was interrupted before its first cut. */
function sayNothingFound(host: Host): ExitCode {
  host.out.write('interrupted: no smaller scenario has been found yet\n');
  return EXIT.interrupted;
}

interface Found {
  /** The result, with its header. */
  readonly text: string;
  readonly outcome: AttemptOutcome;
  readonly cuts: number;
  readonly tries: number;
  readonly minimal: boolean;
  readonly causes: readonly string[];
  readonly largest: string | undefined;
  readonly dropped: readonly string[];
  readonly budget: Millis;
  readonly attempts: Attempts;
  readonly trust: TrustFlags;
}

/** Runs the result in its folder, where it must fail in the same way, then writes and prints it. */
async function finish(target: string, failure: string, found: Found, host: Host): Promise<ExitCode> {
  const { text, outcome, cuts, tries, minimal, budget, attempts, trust } = found;
  const again = attempts.interrupted ? undefined : await attempts.runAs(target, text);
  if (!attempts.interrupted && !isSameFailure(again, failure)) throw makeNotHereError(target);
  writeWhole(target, text);
  if (attempts.interrupted) {
    host.out.write(`interrupted: ${target} has the smallest scenario found so far\n`);
    return EXIT.interrupted;
  }
  const { plan } = readPlan(text, target, { allowFiles: trust.allowFile });
  const size = `${formatCount(plan.devices.length, 'device', 'devices')}, ${formatDuration(plan.duration)}`;
  const end = minimal
    ? 'nothing more can be removed'
    : `stopped after ${formatDuration(budget)}; --budget sets the time limit`;
  host.out.write(
    `${target}: ${size}; ${formatCount(cuts, 'cut', 'cuts')} in ${formatCount(tries, 'try', 'tries')}, ${end}\n`,
  );
  for (const line of listReasons(found)) host.out.write(`${line}\n`);
  for (const line of fixedNumbers(outcome)) {
    host.out.write(
      `note: "${line}" compares with a fixed number, so it may fail only because the scenario is smaller\n`,
    );
  }
  host.out.write(`${shownCommand(['ghostfleet', 'run', target, ...listTrustWords(trust)])}\n`);
  return EXIT.fine;
}

/** Lines about the faults and steps that cause the failure, and about those that contribute to it and are not in the result. */
function listReasons({ causes, largest, dropped }: Found): readonly string[] {
  return [
    ...causes.map((cause) => `cause: without ${cause}, both the result and the original pass`),
    ...(largest === undefined ? [] : [`cause: ${largest} is the largest of several causes in the original`]),
    ...dropped.map((cause) => `dropped: ${cause} is a smaller cause in the original, and not in the result`),
  ];
}

/** Whether an attempt fails in the same way. */
function isSameFailure(outcome: AttemptOutcome | undefined, failure: string): boolean {
  return outcome !== undefined && failureOf(outcome) === failure;
}

interface Origin {
  readonly file: string;
  readonly seed: number;
  readonly target: string;
  readonly outcome: AttemptOutcome;
  readonly causes: readonly string[];
  readonly trust: TrustFlags;
}

/** Replaces the comment at the top of the original with one that states the origin of the result. */
function addOrigin(text: string, { file, seed, target, outcome, causes, trust }: Origin): string {
  const { expectations, failure } = outcome;
  const failed = missedOf(expectations).map(({ line }) => line);
  const fails = [...failed, ...(failure === null ? [] : [failure])];
  // Like the path of the scenario, relative paths start from its folder.
  const allowFile = trust.allowFile.map((path) => (isAbsolute(path) ? path : relative(dirname(target), path)));
  const words = ['ghostfleet', 'run', basename(target), ...listTrustWords({ ...trust, allowFile })];
  const head = [
    `Reduced by "ghostfleet shrink" from ${file === '-' ? 'standard input' : basename(file)} with seed ${seed}. It fails in the same way:`,
    ...fails.map((line) => `    ${line}`),
    ...causes.map((cause) => `Without ${cause} it passes.`),
    `    ${shownCommand(words)}`,
  ];
  const body = text.replace(/^(?:[ \t]*(?:#.*)?\r?\n)+/, '');
  return `${head.map((line) => `# ${line.replaceAll('\n', ' ')}`).join('\n')}\n\n${body.trimEnd()}\n`;
}
