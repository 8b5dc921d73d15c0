/**
 * `ghostfleet run --seeds N`: N runs of one scenario, each with the next seed. In virtual time, they are spread over the cores;
 * in real time, one follows another, because they would disturb each other.
 */
import { join } from 'node:path';
import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { writeWhole } from '../kernel/write-files.js';
import { beginRun, SEEDS_FILES, seedDirectory } from '../library/run-files.js';
import type { RunResult } from '../report/result.js';
import {
  type SeedsResult,
  summariseSeeds,
  writeSeedsCsv,
  writeSeedsMarkdown,
  writeSeedsText,
} from '../report/seeds.js';
import { seedsFrom } from '../scenario/values/seeds.js';
import type { Host } from './host.js';
import { optionWords, runWords } from './run-words.js';
import { type NamedRun, planFirst, runSeveral } from './several-runs.js';
import { givenApiKey, listTargetWords, type TargetFlags } from './target.js';
import type { TrustFlags } from './trust.js';
import { makeEnvironment } from './values.js';

/** Maximum number of runs of one command. */
export const MOST_SEEDS = 10_000;

interface SeedsFlags extends TargetFlags, TrustFlags {
  readonly file: string;
  readonly seeds: number;
  readonly seed: number | undefined;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
  readonly transport: string | undefined;
  readonly store: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
  readonly markdown: string | undefined;
  readonly speed: number | undefined;
  readonly keep: boolean;
  readonly 'metrics-port': number | undefined;
  readonly otlp: string | undefined;
  readonly pace: number | undefined;
  readonly queue: string | undefined;
  /** In virtual time, number of runs at the same time; in real time, number of threads of each. */
  readonly workers: number | undefined;
}

/** Options that cannot be used for several runs. */
const OF_ONE_RUN = ['metrics-port', 'otlp', 'pace', 'queue', 'keep'] as const;

/** Exit codes of a failure, from the most serious to the least. */
const SEVERITY: readonly ExitCode[] = [EXIT.interrupted, EXIT.internal, EXIT.usage, EXIT.invalid, EXIT.stuck];

type Clock = 'virtual' | 'real';

/**
 * @param chooseClock checks the other options
 * @throws UsageError for options that exclude each other, and for a scenario that cannot be read
 */
export async function runSeeds(flags: SeedsFlags, chooseClock: () => Clock, host: Host): Promise<ExitCode> {
  const wrong = OF_ONE_RUN.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (wrong !== undefined) throw new UsageError('bad-flags', `--${wrong} cannot be used with --seeds`);
  if (flags.store !== undefined && isPostgresUrl(flags.store)) {
    throw new UsageError(
      'bad-flags',
      '--store with PostgreSQL cannot be used with --seeds: each run needs an empty database',
    );
  }
  const clock = chooseClock();
  const { plan, isOther } = await planFirst(flags, '--seeds', clock, host);
  const seeds = seedsFrom(plan.seed, flags.seeds);
  const folder = flags.out === undefined ? undefined : beginRun(flags.out);
  try {
    const atOnce = clock === 'real' ? 1 : (flags.workers ?? host.cores);
    const runs = listRuns(seeds, clock, flags, host);
    const ended = await runSeveral(runs, { atOnce, isOther }, host).catch((error) => {
      writeSummary(summariseSeeds(plan.scenario, [], flags.seeds), flags);
      throw error;
    });
    const { failures, interrupted } = ended;
    const results = ended.results.flatMap((one) => one?.result ?? []);
    const over = summariseSeeds(plan.scenario, results, flags.seeds);
    if (results.length > 0) {
      host.out.write(flags.json ? `${JSON.stringify(over, null, 2)}\n` : writeSeedsText(over));
      if (folder !== undefined) writeTables(folder.path, over);
    }
    writeSummary(over, flags);
    if (interrupted === undefined) return findWorst(results, failures);
    if (results.length === 0) host.err.write('no run has ended\n');
    throw interrupted;
  } finally {
    folder?.end();
  }
}

/** The runs of the seeds, in their order. */
function listRuns(seeds: readonly number[], clock: Clock, flags: SeedsFlags, host: Host): readonly NamedRun[] {
  const key = givenApiKey(flags['api-key'], host.env);
  const env = { ...makeEnvironment(flags.var), ...(key !== undefined && { GHOSTFLEET_API_KEY: key }) };
  return seeds.map((seed) => {
    return { name: `seed ${seed}`, args: listArguments(flags, seed, clock), env };
  });
}

function listArguments(flags: SeedsFlags, seed: number, clock: Clock): readonly string[] {
  const { transport, store, out, speed } = flags;
  // In virtual time, one thread for each run, because the runs are spread over the cores already.
  const workers = clock === 'virtual' ? 1 : flags.workers;
  return [
    // The values of variables may be secrets, so they are not arguments.
    ...runWords({ ...flags, var: new Map() }, seed, clock),
    ...listTargetWords(flags),
    ...optionWords({ workers, speed, transport, store, out: out && seedDirectory(out, seed) }),
  ];
}

/** Also without a result: the file may be that of an earlier command. */
function writeSummary(over: SeedsResult, { markdown }: SeedsFlags): void {
  if (markdown !== undefined) writeWhole(markdown, writeSeedsMarkdown(over));
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
