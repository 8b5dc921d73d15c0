/**
 * The `faults` of a scenario: what goes wrong with the network, with devices and with the embedded cloud, each with a time and,
 * where that makes sense, with those it hits.
 *
 *     faults:
 *       - { outage: both, from: 2h, until: 2h20m, to: region/north }
 *       - { brown-out:, from: 3h, until: 4h, to: 10% of cellar }
 *       - { api-errors: 20%, from: 1h, until: 90m }
 *       - { outage: both, from: 4h, until: 6h, every: 10m, lasts: 4m }      # comes and goes
 *
 * A fault of a device becomes the steps that begin and end it: it is carried out, counted and reported as these.
 */
import { complain, duration, type Form, optional, readVariant, valueAt, variantForm } from '../../input/checks.js';
import type { LocatedNode, MapNode, Problems } from '../../input/document.js';
import type { Instant, Millis } from '../../kernel/time.js';
import { DEVICE_FAULT_NAMES, DEVICE_FAULTS, type DeviceFaultName } from '../faults/device/index.js';
import type { DeviceFaultKind } from '../faults/device/kind.js';
import { SERVICE_FAULTS, type ServiceFault } from '../faults/service.js';
import type { PlannedDeviceFault, PlannedServiceFault } from '../model/plan.js';
import type { ScenarioFault, ScenarioStep } from '../model/scenario.js';
import { selector, selectorText } from '../selector/check.js';
import { type Selector, selectorName } from '../selector/selector.js';
import { kindForms } from '../values/kind-forms.js';
import { WIRE_FAULT_NAMES, wireFault, wireFaultForms } from './network.js';
import type { StepContext } from './steps.js';
import { scopeOf } from './steps.js';

/** The faults of a scenario by what they go wrong with. */
interface Faults {
  readonly network: readonly ScenarioFault[];
  readonly steps: readonly ScenarioStep[];
  readonly service: readonly PlannedServiceFault[];
  /** What the steps do that last. */
  readonly devices: readonly PlannedDeviceFault[];
}

export const NO_FAULTS: Faults = { network: [], steps: [], service: [], devices: [] };

// Because Object.keys forgets the keys' types.
const SERVICE_NAMES = Object.keys(SERVICE_FAULTS) as readonly ServiceFault['kind'][];
const WINDOW = {
  from: optional(duration, 0),
  until: optional(duration, null),
  every: optional(duration, null),
  lasts: optional(duration, null),
  to: optional(selectorText),
};
/** More steps than that one fault does not become. */
const MOST_TIMES = 10_000;

/** The form of `faults`, for editors. */
export function faultsForm(): Form {
  const kinds = { ...wireFaultForms(), ...kindForms(DEVICE_FAULTS), ...kindForms(SERVICE_FAULTS) };
  return { type: 'array', items: variantForm(WINDOW, kinds) };
}

export function faults(node: LocatedNode, problems: Problems, context: StepContext): Faults | undefined {
  if (node.kind !== 'list') return complain(node, problems, 'a list of faults');
  const before = problems.list.length;
  const all = node.items.map((item) => oneFault(item, problems, context) ?? NO_FAULTS);
  return problems.list.length > before ? undefined : together(all);
}

function together(all: readonly Faults[]): Faults {
  return {
    network: all.flatMap(({ network }) => network),
    steps: all.flatMap(({ steps }) => steps),
    service: all.flatMap(({ service }) => service),
    devices: all.flatMap(({ devices }) => devices),
  };
}

interface Window {
  readonly from: Instant;
  readonly until: Instant | null;
}

function oneFault(node: LocatedNode, problems: Problems, context: StepContext): Faults | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a fault: a map with a kind of fault, "from" and "until"');
  const kinds = [...WIRE_FAULT_NAMES, ...DEVICE_FAULT_NAMES, ...SERVICE_NAMES];
  const { common, kind, options } = readVariant('a fault', WINDOW, kinds, node, problems);
  const windows = common && windowsOf(common, node, problems, context.end);
  const to = common && selector(common.to ?? 'all', valueAt(node, 'to'), problems, context.names);
  if (kind === undefined || windows === undefined || to === undefined) return undefined;
  const entry: FaultEntry = { node, kind, options, to };
  const [first, ...later] = windows;
  const before = problems.list.length;
  const during = (window: Window) => faultIn(window, entry, problems, context) ?? NO_FAULTS;
  const begun = during(first);
  // A problem of the fault is the same in each of its windows: it is reported once.
  return problems.list.length > before ? undefined : together([begun, ...later.map(during)]);
}

type Kind = (typeof WIRE_FAULT_NAMES)[number] | DeviceFaultName | ServiceFault['kind'];

/** One entry of `faults`, without its times. */
interface FaultEntry {
  readonly node: MapNode;
  readonly kind: Kind;
  /** The value under the name of the kind. */
  readonly options: LocatedNode;
  readonly to: Selector;
}

function faultIn(window: Window, entry: FaultEntry, problems: Problems, context: StepContext): Faults | undefined {
  const device = DEVICE_FAULT_NAMES.find((name) => name === entry.kind);
  if (device) return deviceFault(device, window, entry, problems, context);
  const service = SERVICE_NAMES.find((name) => name === entry.kind);
  if (service) return serviceFault(service, window, entry, problems);
  // Because the kinds of the other two families are handled above.
  const wire = wireFault(entry.kind as (typeof WIRE_FAULT_NAMES)[number], entry.options, problems);
  return wire && { ...NO_FAULTS, network: [{ ...wire, ...window, to: entry.to }] };
}

function serviceFault(
  name: ServiceFault['kind'],
  { from, until }: Window,
  { node, options }: FaultEntry,
  problems: Problems,
): Faults | undefined {
  const fault = SERVICE_FAULTS[name].check(options, problems);
  if (node.entries.has('to')) problems.add(valueAt(node, 'to'), `"${name}" hits the service: it has no "to"`);
  if (fault === undefined) return undefined;
  const away = fault.kind === 'service-restart' ? fault.away : null;
  if (away !== null && node.entries.has('lasts')) {
    problems.add(options, 'a restart with "lasts" cannot have "away": "lasts" says how long the service is away');
  } else if (away !== null && until !== null) {
    problems.add(valueAt(node, 'until'), 'a restart with "away" cannot have "until": "away" says when it is over');
  }
  const window = { from, until: away === null ? until : from + away };
  const outage = { fault: { kind: 'outage' }, way: 'both', ...window, to: { kind: 'all' } } as const;
  return { ...NO_FAULTS, network: name === 'service-down' ? [outage] : [], service: [{ fault, ...window }] };
}

interface Windows extends Window {
  readonly every: Millis | null;
  readonly lasts: Millis | null;
}

/** The times for which a fault holds: one, or one after the other. */
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
    problems.add(node, 'a fault that comes and goes needs "every" and "lasts"');
    return undefined;
  }
  const last = Math.min(until ?? end, end);
  // An invalid duration is reported elsewhere.
  const times = Number.isFinite(last) ? Math.ceil((last - from) / every) : 1;
  if (lasts <= 0 || lasts >= every) complain(valueAt(node, 'lasts'), problems, 'more than 0 and less than "every"');
  else if (times > MOST_TIMES)
    complain(valueAt(node, 'every'), problems, `a fault that comes at most ${MOST_TIMES} times`);
  if (problems.list.length > before) return undefined;
  const window = (i: number) => ({ from: from + i * every, until: Math.min(from + i * every + lasts, last) });
  return [window(0), ...Array.from({ length: times - 1 }, (_, i) => window(i + 1))];
}

/** Notes a window that is none. */
function checkWindow({ from, until }: Window, node: MapNode, problems: Problems, end: Instant): void {
  if (until !== null && until <= from) problems.add(valueAt(node, 'until'), 'the fault would end before it begins');
  if (from >= end) problems.add(valueAt(node, 'from'), 'the fault would begin after the end of the scenario');
}

function deviceFault(
  name: DeviceFaultName,
  { from, until }: Window,
  { node, options, to }: FaultEntry,
  problems: Problems,
  context: StepContext,
): Faults | undefined {
  const { end } = context;
  const kind: DeviceFaultKind = DEVICE_FAULTS[name];
  const read = kind.check(options, problems, scopeOf(to, context));
  if (read === undefined) return undefined;
  const last = Math.min(until ?? end, end);
  if (until !== null && read.end === null && read.every === null) {
    problems.add(valueAt(node, 'until'), `"${name}" is over at once: it has no "until"`);
  }
  const times = read.every === null ? 1 : Math.ceil((last - from) / read.every);
  if (times > MOST_TIMES) return complain(options, problems, `a fault that happens at most ${MOST_TIMES} times`);
  const begin = Array.from({ length: times }, (_, i) => ({
    ...{ at: from + i * (read.every ?? 0), over: 0, to, call: read.begin },
  }));
  // What lasts beyond the end lasts through the time in which the world settles.
  const heals = read.end !== null && until !== null && until <= end;
  const lasts = { fault: name, from, until: heals ? until : null, to: to.kind === 'all' ? null : selectorName(to) };
  return {
    ...NO_FAULTS,
    steps: heals ? [...begin, { at: until, over: 0, to, call: read.end }] : begin,
    devices: read.end === null ? [] : [lasts],
  };
}
