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
 * A fault of a device is converted to the steps that begin and end it. The runner executes and counts them like other steps.
 */
import { complain, duration, type Form, optional, readVariant, valueAt, variantForm } from '../../input/checks.js';
import type { LocatedNode, MapNode, Problems } from '../../input/document.js';
import type { Instant, Millis } from '../../kernel/time.js';
import { DEVICE_FAULTS } from '../faults/device/index.js';
import { NETWORK_FAULTS } from '../faults/network.js';
import { SERVICE_FAULTS, type ServiceFault } from '../faults/service.js';
import type { PlannedDeviceFault, PlannedServiceFault } from '../model/plan.js';
import type { ScenarioFault, ScenarioStep } from '../model/scenario.js';
import { selector, selectorText } from '../selector/check.js';
import { type Selector, selectorName } from '../selector/selector.js';
import { kindForms } from '../values/kind-forms.js';
import { checkFault, FAULT_NAMES, type FaultCall, type FaultName } from './fault-call.js';
import type { StepContext } from './steps.js';
import { scopeOf } from './steps.js';
import { checkWindow, WINDOW, type Window } from './window.js';

/** The faults of a scenario by the part that they affect. */
interface Faults {
  readonly network: readonly ScenarioFault[];
  readonly steps: readonly ScenarioStep[];
  readonly service: readonly PlannedServiceFault[];
  /** The faults that the steps in `steps` carry out. */
  readonly devices: readonly PlannedDeviceFault[];
}

export const NO_FAULTS: Faults = { network: [], steps: [], service: [], devices: [] };

const COMMON = {
  ...WINDOW,
  every: optional(duration, null),
  lasts: optional(duration, null),
  to: optional(selectorText),
};
/** Limit of the number of times that one entry of `faults` may occur. */
const MOST_TIMES = 10_000;

/** JSON Schema of `faults`, for editors. */
export function faultsForm(): Form {
  const kinds = { ...kindForms(NETWORK_FAULTS), ...kindForms(DEVICE_FAULTS), ...kindForms(SERVICE_FAULTS) };
  return { type: 'array', items: variantForm(COMMON, kinds) };
}

export function faults(node: LocatedNode, problems: Problems, context: StepContext): Faults | undefined {
  if (node.kind !== 'list') return complain(node, problems, 'a list of faults');
  const before = problems.list.length;
  const all = node.items.map((item) => oneFault(item, problems, context) ?? NO_FAULTS);
  return problems.list.length > before ? undefined : together(all);
}

/** Joins faults. Steps refer to faults of devices by their indices, so these indices are increased. */
function together(all: readonly Faults[]): Faults {
  let before = 0;
  const steps = all.flatMap((each) => {
    const shift = before;
    before += each.devices.length;
    return each.steps.map((step) => (step.fault === undefined ? step : { ...step, fault: step.fault + shift }));
  });
  return {
    network: all.flatMap(({ network }) => network),
    steps,
    service: all.flatMap(({ service }) => service),
    devices: all.flatMap(({ devices }) => devices),
  };
}

function oneFault(node: LocatedNode, problems: Problems, context: StepContext): Faults | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a fault: a map with a kind of fault, "from" and "until"');
  const { common, kind, options } = readVariant('a fault', COMMON, FAULT_NAMES, node, problems);
  const windows = common && windowsOf(common, node, problems, context.end);
  const to = common && selector(common.to ?? 'all', valueAt(node, 'to'), problems, context.names);
  if (kind === undefined || windows === undefined || to === undefined) return undefined;
  const untimed: UntimedFault = { node, kind, options, to };
  const [first, ...later] = windows;
  const before = problems.list.length;
  const during = (window: Window) => faultIn(window, untimed, problems, context) ?? NO_FAULTS;
  const begun = during(first);
  // A problem in the options of a recurring fault would occur in each of its periods. It is reported only for the first one.
  return problems.list.length > before ? undefined : together([begun, ...later.map(during)]);
}

/** One of the `faults`, without its times. */
interface UntimedFault {
  readonly node: MapNode;
  readonly kind: FaultName;
  /** The value after the name of the kind. */
  readonly options: LocatedNode;
  readonly to: Selector;
}

function faultIn(window: Window, untimed: UntimedFault, problems: Problems, context: StepContext): Faults | undefined {
  const { node, kind, options, to } = untimed;
  const call = checkFault(kind, options, problems, () => scopeOf(to, context));
  if (kind in SERVICE_FAULTS && node.entries.has('to'))
    problems.add(valueAt(node, 'to'), `"${kind}" affects the whole service: it has no "to"`);
  if (call?.part === 'device') return deviceFault(call, window, untimed, problems, context.end);
  if (call?.part === 'service') return serviceFault(call.fault, window, untimed, problems);
  if (call === undefined) return undefined;
  const { fault, way } = call;
  return { ...NO_FAULTS, network: [{ fault, way, ...window, to }] };
}

function serviceFault(
  fault: ServiceFault,
  { from, until }: Window,
  { node, options }: UntimedFault,
  problems: Problems,
): Faults | undefined {
  const away = fault.kind === 'service-restart' ? fault.away : null;
  if (away !== null && node.entries.has('lasts')) {
    problems.add(options, 'a restart with "lasts" cannot have "away": "lasts" is how long the service is away');
  } else if (away !== null && until !== null) {
    problems.add(
      valueAt(node, 'until'),
      'a restart with "away" cannot have "until": "away" is how long the service is away',
    );
  }
  const window = { from, until: away === null ? until : from + away };
  const outage = { fault: { kind: 'outage' }, way: 'both', ...window, to: { kind: 'all' } } as const;
  return { ...NO_FAULTS, network: fault.kind === 'service-down' ? [outage] : [], service: [{ fault, ...window }] };
}

interface Windows extends Window {
  readonly every: Millis | null;
  readonly lasts: Millis | null;
}

/** The periods in which a fault is active: one, or several for a recurring fault. */
function windowsOf(
  { from, until, every, lasts }: Windows,
  node: MapNode,
  problems: Problems,
  end: Instant,
): readonly [Window, ...Window[]] | undefined {
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

function deviceFault(
  { name, ...read }: Extract<FaultCall, { readonly part: 'device' }>,
  { from, until }: Window,
  { node, options, to }: UntimedFault,
  problems: Problems,
  end: Instant,
): Faults | undefined {
  const last = Math.min(until ?? end, end);
  if (until !== null && read.end === null && read.every === null) {
    problems.add(valueAt(node, 'until'), `"${name}" has no duration: it has no "until"`);
  }
  const times = read.every === null ? 1 : Math.ceil((last - from) / read.every);
  if (times > MOST_TIMES) return complain(options, problems, `a fault that occurs at most ${MOST_TIMES} times`);
  const begin = Array.from({ length: times }, (_, i) => {
    return { at: from + i * (read.every ?? 0), over: 0, to, fault: 0, call: read.begin };
  });
  // A fault that does not end within the scenario stays active while open exchanges finish after the scenario.
  const heals = until !== null && until <= end;
  const once = read.end === null && read.every === null;
  const whom = to.kind === 'all' ? null : selectorName(to);
  return {
    ...NO_FAULTS,
    steps: heals && read.end !== null ? [...begin, { at: until, over: 0, to, fault: 0, call: read.end }] : begin,
    devices: [{ fault: name, from, until: once ? from : heals ? until : null, to: whom }],
  };
}
