/** Scenarios from TypeScript: `run(defineScenario({ … }))`, in a test or any other program. */
import { dirname } from 'node:path';
import { oneOf, positiveNumber } from '../input/checks.js';
import { Problems } from '../input/document.js';
import { readBeside, readText } from '../input/text-file.js';
import { valueNode } from '../input/value.js';
import { UsageError } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';
import { RealClock } from '../kernel/real-clock.js';
import { packagedProfiles } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import type { RunResult } from '../report/result.js';
import type { Plan } from '../scenario/model/plan.js';
import { readDefinition, type ScenarioDefinition } from '../scenario/parse/define.js';
import { parseScenario } from '../scenario/parse/scenario.js';
import { planScenario } from '../scenario/plan/plan-scenario.js';
import { deviceTypes } from './flash-settings.js';
import { CLOCKS, type RunOptions as FullRunOptions, run } from './run.js';
import { TRANSPORTS } from './targets/embedded.js';
import type { RemoteCloud } from './targets/remote.js';

/** Options of {@link defineScenario}. */
export interface DefineOptions {
  /** Seed in place of the scenario's own, which is 1 by default. */
  readonly seed?: number;
  /** Device types by name. Default: the packaged ones. */
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Folder of the files that the scenario names: recordings, scripts, images. Without it, a scenario cannot name files. */
  readonly folder?: string;
}

/** Options of {@link readScenario}. */
export interface ReadOptions {
  /** Seed in place of the file's. */
  readonly seed?: number;
  /** Device types by name. Default: the packaged ones. */
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Values for variables of the scenario, by name. */
  readonly vars?: ReadonlyMap<string, string>;
}

/** Options of {@link runPlan}. */
export interface RunOptions {
  /** Device types by name; the same as for the scenario. Default: the packaged ones. */
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Virtual time, or the time of this machine. Default `virtual`. */
  readonly clock?: 'virtual' | 'real';
  /** Simulated milliseconds per real one, for the clock `real`. Default 1. */
  readonly speed?: number;
  /** What carries messages to the embedded cloud: memory, UDP datagrams or HTTP requests. Default `memory`. */
  readonly transport?: 'memory' | 'udp' | 'http';
  /** Where the embedded cloud keeps its data: path of a new SQLite file, or `memory`. Default `memory`. */
  readonly db?: string;
  /** A cloud to run against in place of the embedded one; needs the clock `real`. */
  readonly cloud?: RemoteCloud;
  /** Receives log lines. Default: nothing is logged. */
  readonly log?: Log;
}

/**
 * Checks a scenario and plans it.
 * @throws InputError with all problems, each with its path: `steps[2].at: "90" is not a duration …`
 */
export function defineScenario(definition: ScenarioDefinition, options: DefineOptions = {}): Plan {
  const profiles = options.profiles ?? packagedProfiles();
  const { seed, folder } = options;
  const readFile = (name: string) => {
    if (folder !== undefined) return readBeside(folder, name);
    throw new UsageError('no-folder', 'a scenario in TypeScript needs the option "folder" to name files');
  };
  const seeded = seed === undefined ? definition : { ...definition, seed };
  return planScenario(readDefinition(seeded, deviceTypes(profiles), { profiles, readFile }));
}

/**
 * Reads a scenario file (YAML), checks it and plans it.
 * @throws InputError with all problems, each with file, line and column
 * @throws UsageError if a file cannot be read
 */
export function readScenario(file: string, options: ReadOptions = {}): Plan {
  const { profiles = packagedProfiles(), seed, vars } = options;
  const readFile = (name: string) => readBeside(dirname(file), name);
  const scenario = parseScenario(readText(file), file, deviceTypes(profiles), {
    ...{ profiles, readFile },
    ...(vars && { vars }),
  });
  return planScenario(scenario, seed === undefined ? {} : { seed });
}

/**
 * Runs a plan: by default in virtual time against an embedded cloud in memory. Resolves with the result also when an
 * expectation failed: see `passed`, `failure` and `expectations`.
 * @throws InputError with all invalid options
 * @throws UsageError if the world cannot be built, for example because the database is not new
 */
export async function runPlan(
  plan: Plan,
  options: RunOptions & Partial<Omit<FullRunOptions, 'plan'>> = {},
): Promise<RunResult> {
  if (!isPlan(plan)) throw new UsageError('no-plan', 'run needs a plan, as defineScenario returns it');
  const watch = new RealClock();
  const all: FullRunOptions = {
    plan,
    profiles: packagedProfiles(),
    clock: 'virtual',
    speed: 1,
    transport: 'memory',
    db: 'memory',
    sinks: [],
    log: { info: () => {}, warn: () => {}, error: () => {} },
    reproduce: `run(plan) with the seed ${plan.seed}`,
    out: null,
    stopwatch: () => watch.now,
    ...options,
  };
  checkOptions(all);
  return run(all);
}

/** Callers in JavaScript are not checked by the compiler. @throws InputError with all invalid options */
function checkOptions({ clock, speed, transport }: FullRunOptions): void {
  const problems = new Problems();
  oneOf(CLOCKS)(valueNode(clock, 'clock'), problems);
  oneOf(TRANSPORTS)(valueNode(transport, 'transport'), problems);
  positiveNumber(valueNode(speed, 'speed'), problems);
  problems.finish();
}

function isPlan(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'devices' in value && 'actions' in value;
}
