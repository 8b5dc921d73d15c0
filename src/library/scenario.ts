/** Scenarios from TypeScript: `run(defineScenario({ … }))`, in a test or any other program. */

import { dirname, join } from 'node:path';
import { keyFrom } from '../cloud/store/secrets/key.js';
import { integer, list, oneOf } from '../input/checks.js';
import { Problems } from '../input/document.js';
import { readerInside, readRegular } from '../input/text-file.js';
import { valueNode } from '../input/value.js';
import { UsageError } from '../kernel/errors.js';
import { type Log, SILENT } from '../kernel/log.js';
import { RealClock } from '../kernel/real-clock.js';
import { packagedProfiles } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import { REPORT_FILES, REPORT_FORMATS, type ReportFormat } from '../report/renderers/index.js';
import type { RunResult } from '../report/result.js';
import { getDownlinks } from '../runner/explainers.js';
import { describeDeviceTypes } from '../runner/known-types.js';
import { MOST_WORKERS } from '../runner/play.js';
import { type RunOptions as FullRunOptions, run } from '../runner/run.js';
import { TRANSPORTS } from '../runner/targets/embedded.js';
import { type RemoteCloud, targetCloud } from '../runner/targets/remote-api.js';
import { CLOCKS } from '../runner/world/options.js';
import type { Plan } from '../scenario/model/plan.js';
import { readDefinition, type ScenarioDefinition } from '../scenario/parse/define.js';
import { parseScenario } from '../scenario/parse/scenario.js';
import type { Rewrite } from '../scenario/parse/vary.js';
import { planScenario } from '../scenario/plan/plan-scenario.js';
import { FileSink } from '../trace/sinks.js';
import {
  ABOVE_ZERO,
  CHECKED_ELSEWHERE,
  CLOUD,
  checkOptions,
  LOG,
  type OptionChecks,
  PATH,
  PROFILES,
  plain,
  SEED,
  TEXT,
  TEXTS,
  TRUE_OR_FALSE,
  VARIABLES,
  wordOf,
} from './options.js';
import {
  beginRun,
  DOWNLINKS_FILE,
  EVENTS_FILE,
  openReports,
  sourceOf,
  writeReports as writeFiles,
} from './run-files.js';

/** Options of {@link defineScenario}. */
export interface DefineOptions {
  /** Seed in place of that of the scenario, which is 1 by default. */
  readonly seed?: number;
  /** Device types by name. Default: the packaged ones. */
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Folder of the files that the scenario names: recordings, scripts, images. Without it, a scenario cannot name files. */
  readonly folder?: string;
  /** Files outside of that folder that the scenario may name. Default: none. */
  readonly allowFiles?: readonly string[];
}

/** Options of {@link readScenario}. */
export interface ReadOptions {
  /** Seed in place of that of the file. */
  readonly seed?: number;
  /** Device types by name. Default: the packaged ones. */
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Values for variables of the scenario, by name. */
  readonly vars?: ReadonlyMap<string, string>;
  /** Files outside of the folder of the scenario that it may name. Default: none. */
  readonly allowFiles?: readonly string[];
}

/** Options of {@link runPlan}. */
export interface RunOptions {
  /** Device types by name; the same as for the scenario. Default: the packaged ones. */
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Virtual time, or the time of this machine. Default `virtual`. */
  readonly clock?: 'virtual' | 'real';
  /** Simulated milliseconds per real one, for the clock `real` only. Default 1. */
  readonly speed?: number;
  /** Transport to the embedded cloud. Default `memory`; `udp` for several workers in real time. */
  readonly transport?: 'memory' | 'udp' | 'http';
  /** Data of the embedded cloud: a new SQLite file, an empty PostgreSQL database, or `memory` (default). */
  readonly db?: string;
  /** Key of PostgreSQL's secrets: 64 hex digits, needed by each service that opens it. Default: a random one. */
  readonly secretsKey?: string;
  /** A cloud to run against in place of the embedded one; needs the clock `real`. */
  readonly cloud?: RemoteCloud;
  /** Folder for the event log and all reports, which is created if it does not exist. Default: no files are written. */
  readonly out?: string;
  /**
   * Threads among which to divide the devices, if the scenario allows it. In virtual time the result is the same. Default 1.
   */
  readonly workers?: number;
  /** Hosts with public addresses to which connectors of the scenario may send. Default: none. */
  readonly allowHosts?: readonly string[];
  /** Lets the scenario use `allow-private`: connectors that send to this machine and to private networks. Default false. */
  readonly allowPrivate?: boolean;
  /** Receives log lines. Default: nothing is logged. */
  readonly log?: Log;
}

/** Options of {@link runScenario}. */
export interface ScenarioRunOptions extends RunOptions {
  /** Seed in place of that of the scenario. */
  readonly seed?: number;
  /** Values for variables of a scenario in YAML, by name. */
  readonly vars?: ReadonlyMap<string, string>;
  /** Folder of files that the scenario names. Default: its own; a scenario without a file cannot name files. */
  readonly folder?: string;
  /** Files outside of that folder that the scenario may name. Default: none. */
  readonly allowFiles?: readonly string[];
}

/** Options of every call that reads a scenario. */
const OF_READING = { seed: SEED, profiles: PROFILES, allowFiles: TEXTS } as const;
/** Options of calls that take a scenario in any of its forms. */
export const OF_SCENARIOS = { ...OF_READING, vars: VARIABLES, folder: PATH } as const;

/**
 * Checks a scenario and plans it.
 * @throws InputError with all problems, each with its path: `steps[2].at: "90" is not a duration …`
 */
export function defineScenario(definition: ScenarioDefinition, options: DefineOptions = {}): Plan {
  return planDefinition(
    definition,
    checkOptions<DefineOptions>('defineScenario', options, { ...OF_READING, folder: PATH }),
  );
}

function planDefinition(definition: ScenarioDefinition, options: DefineOptions, rewrite = UNCHANGED): Plan {
  const profiles = options.profiles ?? packagedProfiles();
  const { seed } = options;
  const seeded = seed === undefined ? definition : { ...definition, seed };
  const sources = rewrite({ profiles, readFile: filesOf(options) });
  return planScenario(readDefinition(seeded, describeDeviceTypes(profiles), sources));
}

const UNCHANGED: Rewrite = (sources) => sources;

/**
 * Reads a scenario file (YAML), checks it and plans it.
 * @throws InputError with all problems, each with file, line and column
 * @throws UsageError if a file cannot be read
 */
export function readScenario(file: string, options: ReadOptions = {}): Plan {
  const given = checkOptions<ReadOptions>('readScenario', options, { ...OF_READING, vars: VARIABLES });
  // Callers in JavaScript are not checked by the compiler.
  if (typeof file !== 'string') throw new UsageError('no-scenario', 'readScenario needs the path of a file');
  return planFile(file, given).plan;
}

function planFile(file: string, options: TextOptions, rewrite = UNCHANGED): PlannedText {
  return planText(readRegular(file), file, { folder: dirname(file), ...options }, rewrite);
}

type TextOptions = ReadOptions & { readonly folder?: string };

interface PlannedText {
  readonly plan: Plan;
  readonly secretVars: ReadonlySet<string>;
}

/** @param file name for messages */
function planText(source: string, file: string, options: TextOptions, rewrite = UNCHANGED): PlannedText {
  const { profiles = packagedProfiles(), seed, vars } = options;
  const sources = { profiles, readFile: filesOf(options), vars };
  const scenario = parseScenario(source, file, describeDeviceTypes(profiles), rewrite(sources));
  return { plan: planScenario(scenario, seed === undefined ? {} : { seed }), secretVars: scenario.secretVars };
}

function filesOf({ folder, allowFiles }: Pick<DefineOptions, 'folder' | 'allowFiles'>) {
  if (folder !== undefined) return readerInside(folder, allowFiles);
  return () => {
    throw new UsageError('no-folder', 'a scenario without a file needs the option "folder" to name files');
  };
}

/**
 * Checks a scenario, plans it and runs it.
 * @param scenario path of a YAML file, YAML text of more than one line, or an object as for {@link defineScenario}
 * @throws InputError with all problems of the scenario, or all invalid options
 * @throws UsageError when a file cannot be read, or the world cannot be built
 */
export async function runScenario(
  scenario: string | ScenarioDefinition,
  options: ScenarioRunOptions = {},
): Promise<RunResult> {
  const given = checkOptions<ScenarioRunOptions>('runScenario', options, {
    ...PUBLIC_OPTIONS,
    ...OF_SCENARIOS,
  });
  checkScenario('runScenario', scenario);
  if (typeof scenario !== 'string') return runWith(planDefinition(scenario, given), given);
  if (scenario.includes('\n')) return runWith(planText(scenario, 'scenario', given).plan, given);
  const { plan, secretVars } = planFile(scenario, given);
  const { vars = new Map(), folder, profiles, allowFiles: allowFile = [] } = given;
  // From another folder, or with other profiles, `ghostfleet explain` would read another scenario.
  const isWhole = folder === undefined && profiles === undefined;
  return runWith(plan, {
    ...given,
    source: isWhole ? sourceOf(scenario, vars, secretVars, { allowFile }) : undefined,
  });
}

/** Options of calls that run a scenario once or several times. */
export const OF_RUNS = {
  profiles: PROFILES,
  cloud: CLOUD,
  out: PATH,
  log: LOG,
  workers: plain(integer(1, MOST_WORKERS)),
  allowHosts: TEXTS,
  allowPrivate: TRUE_OR_FALSE,
} as const;

const PUBLIC_OPTIONS: OptionChecks<RunOptions> = {
  ...OF_RUNS,
  clock: wordOf(CLOCKS),
  speed: ABOVE_ZERO,
  transport: wordOf(TRANSPORTS),
  db: PATH,
  secretsKey: TEXT,
};

/**
 * Plans a scenario as the functions of the package take it.
 * @param call name of the function, for messages
 * @param rewrite changes how the scenario is read
 */
export function planOf(
  call: string,
  scenario: string | ScenarioDefinition,
  options: DefineOptions & ReadOptions,
  rewrite = UNCHANGED,
): Plan {
  checkScenario(call, scenario);
  if (typeof scenario !== 'string') return planDefinition(scenario, options, rewrite);
  const { plan } = scenario.includes('\n')
    ? planText(scenario, 'scenario', options, rewrite)
    : planFile(scenario, options, rewrite);
  return plan;
}

/** Callers in JavaScript are not checked by the compiler. @param call name of the function, for messages */
function checkScenario(call: string, scenario: unknown): void {
  const wanted = `${call} needs a scenario: the path of a file, YAML text, or an object`;
  if (typeof scenario === 'string') return;
  if (typeof scenario !== 'object' || scenario === null) throw new UsageError('no-scenario', wanted);
  // By what they have, because a test environment can have other classes than the library.
  if ('href' in scenario)
    throw new UsageError('no-scenario', `${wanted}; fileURLToPath of node:url makes a path of a URL`);
  if (ArrayBuffer.isView(scenario))
    throw new UsageError('no-scenario', `${wanted}; toString() makes a text of a buffer`);
}

/**
 * Runs a plan: by default in virtual time against an embedded cloud in memory. Resolves with the result also when an
 * expectation failed: see `passed`, `failure` and `expectations`.
 * @throws InputError with all invalid options
 * @throws UsageError if the world cannot be built, for example because the database is not new
 */
export async function runPlan(plan: Plan, options: PlanOptions = {}): Promise<RunResult> {
  if (!isPlan(plan)) throw new UsageError('no-plan', 'run needs a plan, as defineScenario returns it');
  return runWith(plan, checkOptions<PlanOptions>('run', options, { ...PUBLIC_OPTIONS, ...OF_THE_PROJECT }));
}

/** Options that only other parts of ghostfleet give; they are not public. */
const OF_THE_PROJECT = {
  sinks: CHECKED_ELSEWHERE,
  scopes: CHECKED_ELSEWHERE,
  reproduce: CHECKED_ELSEWHERE,
  keep: CHECKED_ELSEWHERE,
  left: CHECKED_ELSEWHERE,
  leftBehind: CHECKED_ELSEWHERE,
  version: CHECKED_ELSEWHERE,
  startedAt: CHECKED_ELSEWHERE,
  stopwatch: CHECKED_ELSEWHERE,
  meter: CHECKED_ELSEWHERE,
  webConsole: CHECKED_ELSEWHERE,
  pace: CHECKED_ELSEWHERE,
  watch: CHECKED_ELSEWHERE,
  recorder: CHECKED_ELSEWHERE,
  crew: CHECKED_ELSEWHERE,
  started: CHECKED_ELSEWHERE,
  signal: CHECKED_ELSEWHERE,
  waits: CHECKED_ELSEWHERE,
  repeats: CHECKED_ELSEWHERE,
  source: CHECKED_ELSEWHERE,
} as const;

type PlanOptions = Partial<Omit<FullRunOptions, 'plan' | 'cloud' | 'connectorHosts' | 'secretsKey'>> &
  Pick<RunOptions, 'allowHosts' | 'allowPrivate' | 'secretsKey'> & { readonly cloud?: RemoteCloud | undefined };

async function runWith(plan: Plan, options: PlanOptions): Promise<RunResult> {
  const watch = new RealClock();
  const { out, sinks = [], cloud, allowHosts, allowPrivate = false, secretsKey, ...rest } = options;
  checkTrust(plan, { allowPrivate, cloud });
  const { clock = 'virtual', speed = 1, workers = 1 } = options;
  if (speed !== 1 && clock === 'virtual')
    throw new UsageError('no-speed', '"speed" is for the clock "real": virtual time runs as fast as possible');
  const all: FullRunOptions = {
    plan,
    profiles: packagedProfiles(),
    clock: 'virtual',
    speed: 1,
    // A cloud in memory cannot be reached by devices on other threads.
    transport: clock === 'real' && workers > 1 ? 'udp' : 'memory',
    db: 'memory',
    log: SILENT,
    reproduce: `run(plan) with the seed ${plan.seed}`,
    stopwatch: () => watch.now,
    repeats: typeof out === 'string',
    ...rest,
    cloud: cloud && targetCloud(cloud),
    connectorHosts: allowHosts,
    secretsKey: secretsKey === undefined ? undefined : keyFrom(secretsKey, 'the option secretsKey'),
    out: out ?? null,
    sinks,
  };
  if (typeof out !== 'string') return run(all);
  const folder = beginRun(out);
  try {
    const log = new FileSink(join(folder.path, EVENTS_FILE));
    const result = await run({ ...all, sinks: [...sinks, log] });
    writeFiles(out, result, getDownlinks(result));
    return result;
  } finally {
    folder.end();
  }
}

/** @throws UsageError for a scenario with `allow-private` that is not permitted to use it */
export function checkTrust(
  { cloud: settings }: Plan,
  { allowPrivate, cloud }: { readonly allowPrivate: boolean; readonly cloud: RemoteCloud | undefined },
): void {
  if (!settings?.allowPrivate || allowPrivate || cloud !== undefined) return;
  throw new UsageError(
    'untrusted',
    'the scenario has "allow-private": its connectors could send to this machine and to private networks',
    'if you trust the scenario, run it with the option allowPrivate',
  );
}

/** A file that {@link writeReports} writes: a report, or `downlinks` for the table of downlinks (`downlinks.csv`). */
export type FileFormat = ReportFormat | 'downlinks';

const FILE_FORMATS: readonly FileFormat[] = [...REPORT_FORMATS, 'downlinks'];

/**
 * Writes reports of a result, and the table of its downlinks, into a folder, which is created if it does not exist. The event
 * log is written by the option `out` of {@link runPlan} only.
 * @param result the table needs the object with which {@link run} resolved in this process; a copy has no downlinks
 * @param formats default: all; for a copy, all except the table
 * @throws UsageError for an unknown format, for the table of a copy, when a file cannot be written, or `foreign-files` when
 * a file that no run wrote would be replaced
 */
export function writeReports(result: RunResult, folder: string, formats?: readonly FileFormat[]): void {
  if (typeof result !== 'object' || result === null || !('scenario' in result)) {
    throw new UsageError('no-result', 'writeReports needs the result of a run');
  }
  const problems = new Problems();
  if (formats !== undefined) list(oneOf(FILE_FORMATS))(valueNode(formats, 'formats'), problems);
  if (typeof folder === 'string') PATH(folder, 'folder', problems);
  problems.finish();
  const downlinks = getDownlinks(result);
  if (downlinks === undefined && formats?.includes('downlinks')) {
    throw new UsageError('no-history', 'downlinks.csv needs the result of a run of this process, not a copy');
  }
  if (typeof folder !== 'string') throw new UsageError('no-folder', 'writeReports needs the path of a folder');
  const all = formats ?? FILE_FORMATS;
  const reports = all.filter((format) => format !== 'downlinks');
  const table = all.includes('downlinks') ? downlinks : undefined;
  const names = [...reports.map((format) => REPORT_FILES[format]), ...(table === undefined ? [] : [DOWNLINKS_FILE])];
  const opened = openReports(folder, names);
  try {
    writeFiles(opened.path, result, table, reports);
  } finally {
    opened.end();
  }
}

function isPlan(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'devices' in value && 'actions' in value;
}
