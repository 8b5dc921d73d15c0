/** Carries out several runs of this program, each in a process of its own. */
import { isDeepStrictEqual } from 'node:util';
import PQueue from 'p-queue';
import type { NamedText } from '../input/text-file.js';
import { EXIT, type ExitCode, GhostfleetError, InterruptedError, UsageError } from '../kernel/errors.js';
import { isProgramReplaced, PROGRAM_REPLACED } from '../kernel/program-files.js';
import { type Millis, seconds } from '../kernel/time.js';
import { isPlainProgress } from '../report/progress.js';
import type { RunResult } from '../report/result.js';
import { getVerdict } from '../report/verdict.js';
import { packProfiles } from '../runner/world/plan-profiles.js';
import type { Plan } from '../scenario/model/plan.js';
import { planDigest } from '../scenario/plan/describe.js';
import { findScenario, isReadOnce } from './find-scenario.js';
import { type AnotherRun, type EndedRun, type Host, settingsIn } from './host.js';
import { readPlan } from './read-files.js';
import { checkTrust, type TrustFlags } from './trust.js';
import { printWarnings } from './warnings.js';

export interface NamedRun {
  /** `seed 3`, as it follows "the run with". */
  readonly name: string;
  /** Its arguments, without `--json`. */
  readonly args: readonly string[];
  /** Added to the environment: values that other users of the machine must not read. */
  readonly env: Readonly<Record<string, string>>;
}

/** A run that gave a result. */
export interface NamedResult {
  readonly result: RunResult;
  /** The result as JSON. */
  readonly text: string;
}

interface RepeatedFlags extends TrustFlags {
  readonly file: string;
  readonly seed: number | undefined;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
  readonly target: string | undefined;
}

interface PlannedFirst {
  readonly plan: Plan;
  /** Whether a run is of another scenario, because a file was changed meanwhile: each run reads the files again. */
  readonly isOther: (run: RunResult) => boolean;
}

/**
 * Plans a scenario before it is run several times, so that its problems are reported once and not by every run.
 * @param command for messages, such as `--seeds`
 * @throws UsageError for a scenario that cannot be read, or only once
 */
export async function planFirst(
  flags: RepeatedFlags,
  command: string,
  clock: 'virtual' | 'real',
  host: Host,
): Promise<PlannedFirst> {
  const { file, seed, var: vars, firmware, allowFile: allowFiles } = flags;
  if (isReadOnce(file)) {
    throw new UsageError(
      'bad-flags',
      `"${file}" cannot be used with ${command}: every run reads the scenario, so save it in a file`,
    );
  }
  const { text, path } = await findScenario(file, host);
  const settings = { vars, firmware, allowFiles, known: new Map<string, NamedText>() };
  const { plan, profiles } = readPlan(text, path, { ...settings, seed });
  checkTrust(plan, flags);
  printWarnings(plan, profiles, host, { clock });
  const packed = packProfiles(plan, profiles);
  const isOther = (run: RunResult): boolean => {
    try {
      const now = readPlan(text, path, { ...settings, seed: run.seed });
      return (
        planDigest(now.plan) !== run.planDigest || !isDeepStrictEqual(packProfiles(now.plan, now.profiles), packed)
      );
    } catch (error) {
      if (error instanceof GhostfleetError) return true;
      throw error;
    }
  };
  return { plan, isOther };
}

/** Less than the time between the lines of a run, so that those of a single one are all shown. */
const PROGRESS_EVERY: Millis = seconds(4);

interface SeveralEnded {
  /** In the order of the runs; undefined for a run without a result. */
  readonly results: readonly (NamedResult | undefined)[];
  /** Exit codes of the runs that gave no result, or could not write it. */
  readonly failures: readonly ExitCode[];
  readonly interrupted: InterruptedError | undefined;
}

interface SeveralOptions {
  /** Number of runs at the same time. */
  readonly atOnce: number;
  /** See {@link PlannedFirst.isOther}. */
  readonly isOther: PlannedFirst['isOther'];
  /** Whether the runs after one with this result are not made; undefined for a run without a result. Default: all are made. */
  readonly endsWith?: (result: RunResult | undefined) => boolean;
}

/**
 * Says on the error output how far the runs are, and how each has ended. Ctrl-C ends the runs.
 * @throws UsageError if the scenario was changed while the runs were made
 */
export async function runSeveral(
  runs: readonly NamedRun[],
  { atOnce, isOther, endsWith = () => false }: SeveralOptions,
  host: Host,
): Promise<SeveralEnded> {
  const queue = new PQueue({ concurrency: atOnce });
  const running = new Set<AnotherRun>();
  let interrupted: InterruptedError | undefined;
  let changed: UsageError | undefined;
  let hasEnded = false;
  const stopAll = () => {
    for (const run of running) run.stop();
  };
  const forget = host.onInterrupt((signal) => {
    interrupted ??= new InterruptedError(signal);
    stopAll();
  });
  let shown = host.stopwatch();
  // The runs at the same time share the lines: one every few seconds, as for a single run.
  const showProgress = (line: string) => {
    if (!isPlainProgress(line) || host.stopwatch() - shown < PROGRESS_EVERY) return;
    shown = host.stopwatch();
    host.err.write(`${line}\n`);
  };
  const results = new Map<NamedRun, NamedResult>();
  const failures: ExitCode[] = [];
  const one = async (named: NamedRun): Promise<void> => {
    if (interrupted || hasEnded) return;
    const { name, args, env } = named;
    const errLine = (line: string) => showProgress(`${name}: ${line}`);
    // The runs are the user's own, so they get all settings of this one.
    const run = host.again([...args, '--json'], { env: { ...settingsIn(host.env), ...env }, errLine });
    running.add(run);
    const ended = await run.ended;
    const { exit, out } = ended;
    running.delete(run);
    const result = parseResult(out);
    if (changed || (interrupted && wasInterrupted(result))) return;
    if (result !== undefined && isOther(result)) {
      changed = changedMeanwhile(name);
      hasEnded = true;
      return stopAll();
    }
    if (result !== undefined) {
      results.set(named, { result, text: out });
      host.err.write(`${name}: ${getVerdict(result).word} (${results.size} of ${runs.length})\n`);
    }
    hasEnded = endsWith(result);
    if (result !== undefined && exit === result.exitCode) return;
    failures.push(failureOf(ended));
    const what = result === undefined ? `the run with ${name} gave no result: ` : '';
    host.err.write(`ghostfleet: ${what}${complaintOf(ended)}\n`);
  };
  try {
    await Promise.all(runs.map((run) => queue.add(() => one(run))));
  } finally {
    forget();
  }
  if (changed && !interrupted) throw changed;
  return { results: runs.map((run) => results.get(run)), failures, interrupted };
}

function wasInterrupted(result: RunResult | undefined): boolean {
  return (result?.exitCode ?? EXIT.interrupted) === EXIT.interrupted;
}

function changedMeanwhile(name: string): UsageError {
  return new UsageError(
    'scenario-changed',
    `the scenario was changed while its runs were made: the run with ${name} is of another one`,
    'repeat the command; while it runs, edit a copy',
  );
}

function failureOf({ exit, signal }: EndedRun): ExitCode {
  if (signal !== undefined) return EXIT.stuck;
  return exit === EXIT.usage ? EXIT.usage : EXIT.internal;
}

/** Why a run has failed: the signal that ended it, or its last message, without its progress and warnings. */
function complaintOf({ signal, err }: EndedRun): string {
  if (isProgramReplaced()) return PROGRAM_REPLACED;
  if (signal !== undefined) return `${signal} ended it${MEMORY.has(signal) ? OUT_OF_MEMORY : ''}`;
  return err
    .slice(err.lastIndexOf(COMPLAINT) + 1)
    .replace(COMPLAINT.slice(1), '')
    .trim();
}

/** Signals of the system and of Node.js when the memory is exhausted. */
const MEMORY: ReadonlySet<string> = new Set(['SIGKILL', 'SIGABRT']);
const OUT_OF_MEMORY = ', probably because the memory of this machine was exhausted; use fewer --workers';

const COMPLAINT = '\nghostfleet: ';

/** Undefined if the text is not the result of a run. */
function parseResult(text: string): RunResult | undefined {
  try {
    return JSON.parse(text) as RunResult;
  } catch {
    return undefined;
  }
}
