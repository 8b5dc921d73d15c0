/** `ghostfleet run --seeds N`: N runs of one scenario, each with the next seed, spread over the cores. */
import { join } from 'node:path';
import PQueue from 'p-queue';
import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { EXIT, type ExitCode, InterruptedError, UsageError } from '../kernel/errors.js';
import { writeWhole } from '../kernel/write-files.js';
import { beginRun, SEEDS_FILES, seedDirectory } from '../library/run-files.js';
import type { RunResult } from '../report/result.js';
import { type SeedsResult, summariseSeeds, writeSeedsCsv, writeSeedsText } from '../report/seeds.js';
import { getVerdict } from '../report/verdict.js';
import { findScenario, isReadOnce } from './find-scenario.js';
import type { AnotherRun, EndedRun, Host } from './host.js';
import { readPlan } from './read-files.js';
import { runWords } from './run-words.js';
import { checkTrust, type TrustFlags } from './trust.js';
import { makeEnvironment } from './values.js';
import { printWarnings } from './warnings.js';

/** Maximum number of runs of one command. */
export const MOST_SEEDS = 10_000;

interface SeedsFlags extends TrustFlags {
  readonly file: string;
  readonly seeds: number;
  readonly seed: number | undefined;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
  readonly transport: string | undefined;
  readonly store: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
  readonly clock: string | undefined;
  readonly target: string | undefined;
  readonly 'metrics-port': number | undefined;
  readonly 'metrics-push': unknown;
  readonly pace: number | undefined;
  readonly queue: string | undefined;
  /** Number of runs at the same time. */
  readonly workers: number | undefined;
}

/** Options that cannot be used for several runs. */
const OF_ONE_RUN = ['target', 'metrics-port', 'metrics-push', 'pace', 'queue'] as const;

/** Exit codes of a failure, from the most serious to the least. */
const SEVERITY: readonly ExitCode[] = [EXIT.interrupted, EXIT.internal, EXIT.usage, EXIT.invalid, EXIT.stuck];

/** @throws UsageError for options that exclude each other, and for a scenario that cannot be read */
export async function runSeeds(flags: SeedsFlags, host: Host): Promise<ExitCode> {
  const wrong = OF_ONE_RUN.find((name) => flags[name] !== undefined);
  if (wrong !== undefined) throw new UsageError('bad-flags', `--${wrong} cannot be used with --seeds`);
  if (flags.store !== undefined && isPostgresUrl(flags.store)) {
    throw new UsageError(
      'bad-flags',
      '--store with PostgreSQL cannot be used with --seeds: each run needs an empty database',
    );
  }
  if (flags.clock === 'real') {
    throw new UsageError('bad-flags', '--clock real cannot be used with --seeds: the runs would share the machine');
  }
  if (isReadOnce(flags.file)) {
    throw new UsageError(
      'bad-flags',
      `"${flags.file}" cannot be used with --seeds: every run reads the scenario, so save it in a file`,
    );
  }
  // Planned here first, so that problems of the scenario are reported once and not by every run.
  const { text, path } = await findScenario(flags.file, host);
  const { plan, profiles } = readPlan(text, path, {
    ...{ seed: flags.seed, vars: flags.var, firmware: flags.firmware, allowFiles: flags.allowFile },
  });
  checkTrust(plan, flags);
  printWarnings(plan, profiles, host);
  const folder = flags.out === undefined ? undefined : beginRun(flags.out);
  try {
    const { results, failures, interrupted } = await runAll(plan.seed, flags, host);
    if (results.length > 0) {
      const over = summariseSeeds(results, flags.seeds);
      host.out.write(flags.json ? `${JSON.stringify(over, null, 2)}\n` : writeSeedsText(over));
      if (folder !== undefined) writeTables(folder.path, over);
    }
    if (interrupted === undefined) return findWorst(results, failures);
    if (results.length === 0) host.err.write('no run has ended\n');
    throw interrupted;
  } finally {
    folder?.end();
  }
}

interface Ended {
  /** In the order of the seeds; without those of runs that gave no result. */
  readonly results: readonly RunResult[];
  /** Exit codes of the runs that gave no result, or could not write it. */
  readonly failures: readonly ExitCode[];
  readonly interrupted: InterruptedError | undefined;
}

async function runAll(first: number, flags: SeedsFlags, host: Host): Promise<Ended> {
  const queue = new PQueue({ concurrency: flags.workers ?? host.cores });
  const running = new Set<AnotherRun>();
  let interrupted: InterruptedError | undefined;
  const forget = host.onInterrupt((signal) => {
    interrupted ??= new InterruptedError(signal);
    for (const run of running) run.stop();
  });
  const results = new Map<number, RunResult>();
  const failures: ExitCode[] = [];
  const one = async (seed: number): Promise<void> => {
    if (interrupted) return;
    const run = host.again(listArguments(flags, seed), { env: makeEnvironment(flags.var) });
    running.add(run);
    const ended = await run.ended;
    const { exit, out } = ended;
    running.delete(run);
    const result = parseResult(out);
    if (interrupted && (result?.exitCode ?? EXIT.interrupted) === EXIT.interrupted) return;
    if (result !== undefined) {
      results.set(seed, result);
      host.err.write(`seed ${seed}: ${getVerdict(result).word} (${results.size} of ${flags.seeds})\n`);
    }
    if (result !== undefined && exit === result.exitCode) return;
    failures.push(failureOf(ended));
    const what = result === undefined ? `the run with seed ${seed} gave no result: ` : '';
    host.err.write(`ghostfleet: ${what}${complaintOf(ended)}\n`);
  };
  const seeds = Array.from({ length: flags.seeds }, (_, i) => first + i);
  try {
    await Promise.all(seeds.map((seed) => queue.add(() => one(seed))));
  } finally {
    forget();
  }
  return { results: seeds.flatMap((seed) => results.get(seed) ?? []), failures, interrupted };
}

function failureOf({ exit, signal }: EndedRun): ExitCode {
  if (signal !== undefined) return EXIT.stuck;
  return exit === EXIT.usage ? EXIT.usage : EXIT.internal;
}

/** Why a run has failed: the signal that ended it, or its last message, without its progress and warnings. */
function complaintOf({ signal, err }: EndedRun): string {
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

function listArguments(flags: SeedsFlags, seed: number): readonly string[] {
  const { transport, store, out } = flags;
  return [
    // The values of variables may be secrets, so they are not arguments.
    ...runWords({ ...flags, var: new Map() }, seed, 'virtual'),
    // One thread for each run, because the runs are spread over the cores already.
    ...['--workers', '1', '--json'],
    ...(transport === undefined ? [] : ['--transport', transport]),
    ...(store === undefined ? [] : ['--store', store]),
    ...(out === undefined ? [] : ['--out', seedDirectory(out, seed)]),
  ];
}

/** Undefined if the text is not the result of a run. */
function parseResult(text: string): RunResult | undefined {
  try {
    return JSON.parse(text) as RunResult;
  } catch {
    return undefined;
  }
}

function writeTables(out: string, over: SeedsResult): void {
  writeWhole(join(out, SEEDS_FILES.json), `${JSON.stringify(over, null, 2)}\n`);
  writeWhole(join(out, SEEDS_FILES.csv), writeSeedsCsv(over));
}

/** The most serious exit code of the runs. */
function findWorst(results: readonly RunResult[], failures: readonly ExitCode[]): ExitCode {
  const codes = [...failures, ...results.map(({ exitCode }) => exitCode)];
  const serious = SEVERITY.find((code) => codes.includes(code));
  return serious ?? (results.every(({ passed }) => passed) ? EXIT.fine : EXIT.expectation);
}
