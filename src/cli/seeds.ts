/** `ghostfleet run --seeds N`: N runs of one scenario, each with the next seed, spread over the cores. */
import { join } from 'node:path';
import PQueue from 'p-queue';
import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { EXIT, type ExitCode, GhostfleetError, UsageError } from '../kernel/errors.js';
import { writeWhole } from '../kernel/write-files.js';
import { beginRun, SEEDS_FILES, seedDirectory } from '../library/run-files.js';
import type { RunResult } from '../report/result.js';
import { overSeeds, type SeedsResult, seedsCsv, seedsText } from '../report/seeds.js';
import { verdictOf } from '../report/verdict.js';
import { findScenario } from './find-scenario.js';
import type { AnotherRun, Host } from './host.js';
import { planOf } from './read-files.js';
import { runWords } from './run-words.js';
import { checkTrust, type TrustFlags } from './trust.js';
import { variablesAsEnvironment } from './values.js';
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
  if (flags.file === '-') {
    throw new UsageError(
      'bad-flags',
      '"-" cannot be used with --seeds: every run reads the scenario, so save it in a file',
    );
  }
  // Planned here first, so that problems of the scenario are reported once and not by every run.
  const { text, path } = await findScenario(flags.file, host);
  const { plan, profiles } = planOf(text, path, {
    ...{ seed: flags.seed, vars: flags.var, firmware: flags.firmware, allowFiles: flags.allowFile },
  });
  checkTrust(plan, flags);
  printWarnings(plan, profiles, host);
  const out = flags.out === undefined ? undefined : beginRun(flags.out);
  const results = await runAll(plan.seed, flags, host);
  if (results === undefined) return EXIT.interrupted;
  const over = overSeeds(results);
  host.out.write(flags.json ? `${JSON.stringify(over, null, 2)}\n` : seedsText(over));
  if (out !== undefined) writeTables(out, over);
  return worst(over);
}

/** The results in the order of the seeds; undefined after an interrupt. */
async function runAll(first: number, flags: SeedsFlags, host: Host): Promise<readonly RunResult[] | undefined> {
  const queue = new PQueue({ concurrency: flags.workers ?? host.cores });
  const running = new Set<AnotherRun>();
  let interrupted = false;
  const stop = () => {
    interrupted = true;
    for (const run of running) run.stop();
  };
  const forget = host.onInterrupt(stop);
  const results = new Map<number, RunResult>();
  const one = async (seed: number): Promise<void> => {
    if (interrupted) return;
    const run = host.again(argumentsOf(flags, seed), { env: variablesAsEnvironment(flags.var) });
    running.add(run);
    const { out, err } = await run.ended;
    running.delete(run);
    if (interrupted) return;
    const result = resultIn(out);
    if (result === undefined) {
      stop();
      throw new GhostfleetError('no-result', `the run with seed ${seed} gave no result: ${err.trim()}`, EXIT.internal);
    }
    results.set(seed, result);
    host.err.write(`seed ${seed}: ${verdictOf(result).word} (${results.size} of ${flags.seeds})\n`);
  };
  const seeds = Array.from({ length: flags.seeds }, (_, i) => first + i);
  try {
    const ended = await Promise.allSettled(seeds.map((seed) => queue.add(() => one(seed))));
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  } finally {
    forget();
  }
  return interrupted ? undefined : seeds.flatMap((seed) => results.get(seed) ?? []);
}

function argumentsOf(flags: SeedsFlags, seed: number): readonly string[] {
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
function resultIn(text: string): RunResult | undefined {
  try {
    // The cast is safe because `run --json` prints nothing but such a result.
    return JSON.parse(text) as RunResult;
  } catch {
    return undefined;
  }
}

function writeTables(out: string, over: SeedsResult): void {
  writeWhole(join(out, SEEDS_FILES.json), `${JSON.stringify(over, null, 2)}\n`);
  writeWhole(join(out, SEEDS_FILES.csv), seedsCsv(over));
}

/** The most serious exit code of the runs. */
function worst({ runs, passed }: SeedsResult): ExitCode {
  const serious = SEVERITY.find((code) => runs.some(({ exitCode }) => exitCode === code));
  if (serious !== undefined) return serious;
  return passed === runs.length ? EXIT.fine : EXIT.expectation;
}
