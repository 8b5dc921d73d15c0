/**
 * The `steps` of a scenario:
 *
 *     steps:
 *       - { at: 1h, to: clime, over: 10m, config: { interval-report: 900 } }
 *       - { at: +5m, to: clime/3, commands: [info show] }              # counts from the beginning of the previous step
 *       - { after: device.ready == fleet.devices, within: 1h, shell: send }   # begins when the condition holds
 *       - { at: 2h, for: { each: clime, in: 10%, every: 30m }, config: { interval-report: 300 } }   # cohort by cohort
 */
import {
  type Check,
  complain,
  describeKey,
  duration,
  type Form,
  formed,
  formOf,
  optional,
  ratio,
  readVariant,
  record,
  refine,
  valueAt,
  variantForm,
} from '../../input/checks.js';
import type { LocatedNode, MapNode, Problems } from '../../input/document.js';
import { DURATION_FORM, type Millis, parseDuration } from '../../kernel/time.js';
import type { Profile } from '../../profile/profile.js';
import { findDimension, type MetricExpectation } from '../expect/expectation.js';
import { expectExpectation, NO_NAMES, type ScopeNames } from '../expect/parse.js';
import type { Rollout, ScenarioStep, StepWait } from '../model/scenario.js';
import { ABOUT_TO, readSelector, selectorText } from '../selector/check.js';
import { canTouch } from '../selector/match.js';
import type { Selector } from '../selector/selector.js';
import { checkStep, SENDING_STEPS, STEP_NAMES, stepForms } from '../steps/index.js';
import type { StepScope } from '../steps/step.js';
import { checkUnknown, type KnownFleet, recipientsOf, UNKNOWN } from './recipients.js';
import type { ScenarioSources } from './sources.js';

export interface StepContext extends KnownFleet {
  readonly names: ScopeNames;
  readonly sources: ScenarioSources;
  /** Names of the firmware images of `setup`; undefined if `setup` could not be read. */
  readonly firmware: readonly string[] | undefined;
  /** Duration of the scenario. */
  readonly end: Millis;
}

/** The value of the key `at`. */
interface Moment {
  readonly at: Millis;
  /** true: `at` counts from the beginning of the previous step instead of the start of the run. */
  readonly follows: boolean;
}

const AT_ONCE: Moment = { at: 0, follows: false };

/** `1h`, or `+5m`. */
const moment: Check<Moment> = formed(
  // Each form of a duration may follow a "+".
  () => ({ type: ['string', 'integer'], pattern: String(formOf(duration).pattern).replaceAll('^', '^\\s*\\+?') }),
  (node, problems) => {
    const source = node.kind === 'scalar' ? node.source.trim() : '';
    const follows = source.startsWith('+');
    const at = parseDuration(follows ? source.slice(1) : source);
    return at === undefined
      ? complain(node, problems, `${DURATION_FORM}, or "+5m" to count from the previous step`)
      : { at, follows };
  },
);

/** The largest number of cohorts. */
const MOST_COHORTS = 1000;

const ROLLOUT = record('for', {
  each: optional(describeKey('Devices that are divided into cohorts. Default: all.', 'cellar', selectorText), 'all'),
  in: describeKey(
    'Share of the devices in each cohort.',
    '10%',
    refine(ratio, (share, node, problems) =>
      share * MOST_COHORTS >= 1 ? share : complain(node, problems, 'a share of the devices from 0.1% to 100%'),
    ),
  ),
  every: describeKey('Time from one cohort to the next.', '30m', duration),
});

function condition(names: ScopeNames): Check<MetricExpectation> {
  return refine(expectExpectation(names), (read, node, problems) =>
    'invariant' in read || findDimension(read) !== undefined
      ? complain(node, problems, 'a condition about the whole run, such as "device.ready == fleet.devices"')
      : read,
  );
}

function timing(names: ScopeNames) {
  return {
    at: optional(
      describeKey('When it begins: since the start, or `+5m` since the previous step. Default: 0s.', '1h', moment),
    ),
    after: optional(
      describeKey(
        'Condition after which it begins, instead of `at`.',
        'device.ready == fleet.devices',
        condition(names),
      ),
    ),
    within: optional(describeKey('Longest wait for `after`. Default: until the end.', '1h', duration)),
    over: optional(describeKey('Time over which the devices are spread. Default: 0s.', '10m', duration), 0),
    to: optional(describeKey(ABOUT_TO, '10% of cellar', selectorText)),
    for: optional(
      describeKey(
        'Cohorts, one after another, instead of `to` and `over`.',
        { each: 'cellar', in: '10%', every: '30m' },
        ROLLOUT,
      ),
    ),
    ...UNKNOWN,
  };
}

/** JSON Schema of `steps`, for editors. */
export function stepsForm(): Form {
  return { type: 'array', items: variantForm(timing(NO_NAMES), stepForms()) };
}

/** Reads all steps, in the order of the file. */
export function steps(
  node: LocatedNode,
  problems: Problems,
  context: StepContext,
): readonly ScenarioStep[] | undefined {
  if (node.kind !== 'list') return complain(node, problems, 'a list of steps');
  const before = problems.list.length;
  const read: ScenarioStep[] = [];
  // Earliest time at which the previous step can begin; undefined before the first step.
  let previous: Millis | undefined;
  for (const item of node.items) {
    const found = step(item, problems, previous, context);
    if (found) read.push(found);
    previous = found === undefined ? (previous ?? 0) : earliest(found, previous);
  }
  return problems.list.length === before ? read : undefined;
}

function earliest({ at, follows }: Pick<ScenarioStep, 'at' | 'follows'>, previous: Millis | undefined): Millis {
  return follows ? (previous ?? 0) + at : at;
}

function step(
  node: LocatedNode,
  problems: Problems,
  previous: Millis | undefined,
  context: StepContext,
): ScenarioStep | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a step: a map with "at", "to" and what to do');
  const { common, kind, options } = readVariant('a step', timing(context.names), STEP_NAMES, node, problems);
  const when = common && timingOf(node, problems, common, previous, context);
  const place = node.entries.has('for') ? valueAt(node, 'for') : valueAt(node, 'to');
  const to = common && readSelector(common.for?.each ?? common.to ?? 'all', place, problems, context.names);
  if (common?.unknown && kind) checkUnknown(node, kind, SENDING_STEPS, problems);
  const scope = scopeOf(to, context);
  const call = kind && checkStep(kind, options, problems, common?.unknown ? { ...scope, recipients: [] } : scope);
  return when && to && call && { ...when, to, call };
}

interface TimingKeys {
  readonly at: Moment | undefined;
  readonly after: StepWait['condition'] | undefined;
  readonly within: Millis | undefined;
  readonly over: Millis;
  readonly to: string | undefined;
  readonly for: { readonly in: number; readonly every: Millis } | undefined;
}

function timingOf(
  node: MapNode,
  problems: Problems,
  { at: given, after, within, over, to, for: cohorts }: TimingKeys,
  previous: Millis | undefined,
  { end }: StepContext,
): Omit<ScenarioStep, 'to' | 'call'> | undefined {
  const before = problems.list.length;
  if (given === undefined && after === undefined) problems.add(node, 'a step needs "at" or "after"');
  if (within !== undefined && after === undefined)
    problems.add(valueAt(node, 'within'), '"within" needs "after": a condition');
  if (to !== undefined && cohorts !== undefined)
    problems.add(valueAt(node, 'to'), 'a step with "for" selects its devices with "each", not with "to"');
  const { at, follows } = given ?? AT_ONCE;
  if (follows && previous === undefined)
    problems.add(valueAt(node, 'at'), 'the first step has no previous step: "at" cannot begin with "+"');
  const rollout = cohorts && rolloutOf(cohorts);
  const length = over + (rollout ? (rollout.cohorts - 1) * rollout.every : 0);
  if (earliest(follows ? { at, follows } : { at }, previous) + length > end) {
    problems.add(valueAt(node, 'at'), 'the step would happen after the end of the scenario');
  }
  if (problems.list.length > before) return undefined;
  return {
    at,
    over,
    ...(follows && { follows }),
    rollout,
    wait: after && { condition: after, within: within ?? null },
  };
}

/** The fewest cohorts that cover all devices: with a share of 40%, three. */
function rolloutOf({ in: share, every }: { readonly in: number; readonly every: Millis }): Rollout {
  const exact = 1 / share;
  const whole = Math.round(exact);
  return { cohorts: Math.abs(exact - whole) < 1e-6 ? whole : Math.ceil(exact), share, every };
}

/** The context for the check of a step. @param to undefined if the devices are not known */
export function scopeOf(to: Selector | undefined, context: StepContext): StepScope {
  const { sources, firmware } = context;
  return {
    profiles: to ? profilesOf(to, context) : [],
    recipients: to ? recipientsOf(to, context) : [],
    readFile: sources.readFile,
    firmware,
  };
}

/** The device types of the devices of a step. */
function profilesOf(to: Selector, { groups, sources }: StepContext): readonly Profile[] {
  const meant = (groups ?? []).filter((group) => canTouch(to, group));
  const names = new Set(meant.map(({ profile }) => profile));
  return [...names].flatMap((name) => sources.profiles.get(name) ?? []);
}
