/**
 * The `faults` of a scenario: faults of the network, of devices and of the embedded cloud. Each has a time; faults of the
 * network and of devices also have a selector for the affected devices.
 *
 *     faults:
 *       - { outage: both, from: 2h, until: 2h20m, to: region/north }
 *       - { brown-out:, from: 3h, until: 4h, to: 10% of cellar }
 *       - { api-errors: 20%, from: 1h, until: 90m }
 *       - { outage: both, from: 4h, until: 6h, every: 10m, lasts: 4m }      # recurring
 *
 * The plan converts a fault of devices to the steps that begin and end it.
 */
import {
  complain,
  describeKey,
  duration,
  type Form,
  optional,
  readVariant,
  valueAt,
  variantForm,
} from '../../input/checks.js';
import type { LocatedNode, MapNode, Problems } from '../../input/document.js';
import type { Instant, Millis } from '../../kernel/time.js';
import {
  checkFault,
  FAULT_NAMES,
  FAULTS,
  type FaultCall,
  faultForms,
  isOnce,
  kindOf,
  stepsOfFault,
} from '../faults/index.js';
import type { FaultWindow } from '../model/plan.js';
import type { ScenarioFault } from '../model/scenario.js';
import { ABOUT_TO, readSelector, selectorText } from '../selector/check.js';
import type { StepContext } from './steps.js';
import { scopeOf } from './steps.js';
import { checkWindow, WINDOW } from './window.js';

const COMMON = {
  ...WINDOW,
  every: optional(describeKey('Interval of a recurring fault, with `lasts`.', '10m', duration), null),
  lasts: optional(describeKey('How long a recurring fault lasts each time.', '4m', duration), null),
  to: optional(describeKey(ABOUT_TO, 'region/north', selectorText)),
};
/** Limit of the number of times that one entry of `faults` may occur. */
const MOST_TIMES = 10_000;

/** JSON Schema of `faults`, for editors. */
export function faultsForm(): Form {
  return { type: 'array', items: variantForm(COMMON, faultForms()) };
}

export function faults(
  node: LocatedNode,
  problems: Problems,
  context: StepContext,
): readonly ScenarioFault[] | undefined {
  if (node.kind !== 'list') return complain(node, problems, 'a list of faults');
  const before = problems.list.length;
  const all = node.items.flatMap((item) => oneFault(item, problems, context) ?? []);
  return problems.list.length > before ? undefined : all;
}

function oneFault(node: LocatedNode, problems: Problems, context: StepContext): ScenarioFault | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a fault: a map with a kind of fault, "from" and "until"');
  const { common, kind, options } = readVariant('a fault', COMMON, FAULT_NAMES, node, problems);
  const windows = common && windowsOf(common, node, problems, context.end);
  const to = common && readSelector(common.to ?? 'all', valueAt(node, 'to'), problems, context.names);
  if (kind === undefined || windows === undefined || to === undefined) return undefined;
  const call = checkFault(kind, options, problems, () => scopeOf(to, context));
  if (FAULTS[kind].part === 'service' && node.entries.has('to'))
    problems.add(valueAt(node, 'to'), `"${kind}" affects the whole service: it has no "to"`);
  if (call === undefined) return undefined;
  checkTimes(call, windows, options, problems, context.end);
  checkDuration(call, node, problems);
  return { ...call, to, windows: windows.map((window) => windowOf(call, window, context.end)) };
}

/** Adds a problem for a fault of devices that repeats too often. */
function checkTimes(
  call: FaultCall,
  [{ from, until }]: readonly [FaultWindow, ...FaultWindow[]],
  options: LocatedNode,
  problems: Problems,
  end: Instant,
): void {
  const every = stepsOfFault(call)?.every ?? null;
  const times = every === null ? 1 : Math.ceil((Math.min(until ?? end, end) - from) / every);
  if (times > MOST_TIMES) complain(options, problems, `a fault that occurs at most ${MOST_TIMES} times`);
}

/** Adds a problem for a duration that the fault cannot have. */
function checkDuration(call: FaultCall, node: MapNode, problems: Problems): void {
  const key = node.entries.has('lasts') ? 'lasts' : 'until';
  if (!node.entries.has(key)) return;
  const place = valueAt(node, key);
  const { duration: own } = kindOf(call);
  if (own !== undefined && own.of(call.options) !== null)
    problems.add(place, `"${call.kind}" with "${own.option}" has no "${key}": "${own.option}" is its duration`);
  if (isOnce(call)) problems.add(place, `"${call.kind}" has no duration: it has no "${key}"`);
}

/** The period in which the fault itself is active, for a period of the scenario. */
function windowOf(call: FaultCall, { from, until }: FaultWindow, end: Instant): FaultWindow {
  const { duration: own, part } = kindOf(call);
  const length = own?.of(call.options) ?? null;
  if (length !== null) return { from, until: from + length };
  if (part !== 'device') return { from, until };
  if (isOnce(call)) return { from, until: from };
  // The step that ends the fault must be within the scenario. Otherwise the fault lasts while open exchanges finish after it.
  return { from, until: until !== null && until <= end ? until : null };
}

interface Windows extends FaultWindow {
  readonly every: Millis | null;
  readonly lasts: Millis | null;
}

/** The periods in which a fault is active: one, or several for a recurring fault. */
function windowsOf(
  { from, until, every, lasts }: Windows,
  node: MapNode,
  problems: Problems,
  end: Instant,
): readonly [FaultWindow, ...FaultWindow[]] | undefined {
  const before = problems.list.length;
  checkWindow({ from, until }, node, problems, end);
  if (every === null && lasts === null) return problems.list.length > before ? undefined : [{ from, until }];
  if (every === null || lasts === null) {
    problems.add(node, 'a recurring fault needs both "every" and "lasts"');
    return undefined;
  }
  const last = Math.min(until ?? end, end);
  // `last` is infinite if the duration of the scenario is invalid, which is reported separately.
  const times = Number.isFinite(last) ? Math.ceil((last - from) / every) : 1;
  if (lasts <= 0 || lasts >= every) complain(valueAt(node, 'lasts'), problems, 'more than 0 and less than "every"');
  else if (times > MOST_TIMES)
    complain(valueAt(node, 'every'), problems, `an interval for which the fault occurs at most ${MOST_TIMES} times`);
  if (problems.list.length > before) return undefined;
  const window = (i: number) => ({ from: from + i * every, until: Math.min(from + i * every + lasts, last) });
  return [window(0), ...Array.from({ length: times - 1 }, (_, i) => window(i + 1))];
}
