/** For programs: how much a service carries. */
import { availableParallelism } from 'node:os';
import { quote } from '../input/problems.js';
import { UsageError } from '../kernel/errors.js';
import { SILENT } from '../kernel/log.js';
import { RealClock } from '../kernel/real-clock.js';
import { DURATION_FORM, type Millis, parseDuration } from '../kernel/time.js';
import { shownAddress } from '../kernel/web-address.js';
import { packagedProfiles } from '../profile/library.js';
import type { CapacityResult, LevelRun } from '../report/capacity/result.js';
import { type Asked, isPrecision, moreGenerators, PRECISION, questionOf } from '../runner/capacity/question.js';
import { RECOVERY, TargetLevels } from '../runner/capacity/target-levels.js';
import { VirtualLevels } from '../runner/capacity/virtual-levels.js';
import { targetCloud } from '../runner/targets/remote-api.js';
import type { ScenarioDefinition } from '../scenario/parse/define.js';
import { search } from './capacity-search.js';
import { CHECKED_ELSEWHERE, checkOptions, PATH, such, TEXT } from './options.js';
import { checkTrust, OF_RUNS, OF_SCENARIOS, planOf, type ScenarioRunOptions } from './scenario.js';
import type { Duration } from './time.js';

/** Options of {@link capacity}. */
export interface CapacityOptions
  extends Pick<
    ScenarioRunOptions,
    'seed' | 'vars' | 'folder' | 'allowFiles' | 'allowHosts' | 'allowPrivate' | 'profiles' | 'cloud' | 'log'
  > {
  /** What to vary: a variable, `fleet.devices`, `fleet.NAME.count`, `load.NAME.rate` or `load.NAME.users`. */
  readonly vary: string;
  /** Lowest level: a number, or a text with its unit, such as `10/s`. */
  readonly from: number | string;
  /** Highest level. */
  readonly to: number | string;
  /** Largest distance between `holds` and `fails`, relative to `holds`, from 0.001 to 0.5. Default 0.05. */
  readonly precision?: number;
  /** A level that is measured itself if the limit is near it. Default: none. */
  readonly atLeast?: number | string;
  /** Time of each run after its warm-up. Default: the duration of the scenario. */
  readonly hold?: Duration;
  /** Warm-up of each run. Default: that of the scenario. */
  readonly warmUp?: Duration;
  /** Time that another cloud has to recover after each run. Default: a minute. */
  readonly recovery?: Duration;
  /** Time limit of the search. Default: none. */
  readonly budget?: Duration;
  /** In virtual time, runs at the same time, with the same result; with `cloud`, threads of each run. Default 1. */
  readonly workers?: number;
  /** Folder for the results, which is created if it does not exist. Default: no files are written. */
  readonly out?: string;
  /** Folder of an earlier search with the same options, which this one continues. */
  readonly continued?: string;
  /** Ends the search with what is known. */
  readonly signal?: AbortSignal;
  /** Called after each run. */
  readonly onRun?: (run: LevelRun) => void;
}

/**
 * Searches the largest level of a scenario at which all its expectations hold: in virtual time against the embedded cloud, or
 * in real time against another one.
 * @param scenario path of a YAML file, YAML text of more than one line, or an object as for {@link defineScenario}
 * @throws InputError with all problems of the scenario, or all invalid options
 * @throws UsageError for an unknown key, an empty range, and expectations that have nothing to do with the level
 */
export async function capacity(
  scenario: string | ScenarioDefinition,
  options: CapacityOptions,
): Promise<CapacityResult> {
  const given = checkOptions<CapacityOptions>('capacity', options, CHECKS);
  const {
    allowPrivate = false,
    allowHosts = [],
    profiles = packagedProfiles(),
    cloud,
    log = SILENT,
    workers = 1,
  } = given;
  checkTrust(planOf('capacity', scenario, given), { allowPrivate, cloud });
  const { vary, precision = PRECISION, atLeast, out, continued, signal, onRun = () => {} } = given;
  const asked: Asked = {
    read: (rewrite, seed) => planOf('capacity', scenario, seed === undefined ? given : { ...given, seed }, rewrite),
    vary,
    precision,
    seed: given.seed,
    from: String(given.from),
    to: String(given.to),
    atLeast: atLeast === undefined ? undefined : String(atLeast),
    hold: lengthOf('hold', given.hold),
    warmUp: lengthOf('warmUp', given.warmUp),
    target: cloud && shownAddress(cloud.api),
  };
  const clock = new RealClock();
  return search({
    question: questionOf(asked),
    levels:
      cloud === undefined
        ? new VirtualLevels({ profiles, connectorHosts: allowHosts }, workers)
        : new TargetLevels({
            cloud: targetCloud(cloud),
            clock,
            patience: lengthOf('recovery', given.recovery) ?? RECOVERY,
            base: {
              profiles,
              connectorHosts: allowHosts,
              workers,
              log,
              transport: 'memory',
              db: 'memory',
              sinks: [],
              reproduce: '',
              out: null,
              stopwatch: () => clock.now,
            },
          }),
    budget: lengthOf('budget', given.budget),
    out,
    continued,
    signal,
    onRun,
    more: moreGenerators(workers, availableParallelism()),
    reproduce: `capacity(scenario, { vary: ${quote(vary)}, … })`,
  });
}

const LEVEL = such((value) => ['number', 'string'].includes(typeof value), 'a number, or a text such as "10/s"');

const CHECKS = {
  ...OF_RUNS,
  ...OF_SCENARIOS,
  vary: TEXT,
  continued: PATH,
  from: LEVEL,
  to: LEVEL,
  atLeast: LEVEL,
  precision: such((value) => typeof value === 'number' && isPrecision(value), 'a number from 0.001 to 0.5'),
  hold: CHECKED_ELSEWHERE,
  warmUp: CHECKED_ELSEWHERE,
  recovery: CHECKED_ELSEWHERE,
  budget: CHECKED_ELSEWHERE,
  signal: such(isSignal, 'an AbortSignal'),
  onRun: such((value) => typeof value === 'function', 'a function'),
} as const;

/** Also one of another class than the global one, such as Node's in a test environment with a DOM. */
function isSignal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
}

/** @throws UsageError for a text that is not a duration, and for a time that is not above 0 */
function lengthOf(name: string, length: Duration | undefined): Millis | undefined {
  if (length === undefined) return undefined;
  const time = typeof length === 'number' ? length : parseDuration(String(length));
  if (time !== undefined && time > 0) return time;
  throw new UsageError('bad-options', `${name}: ${quote(String(length))} is not ${DURATION_FORM}`);
}
