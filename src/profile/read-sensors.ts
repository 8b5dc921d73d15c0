/** The section `sensors`: the sensors, how their samples are aggregated, and the models of their quantities. */
import {
  type Check,
  complain,
  formed,
  formOf,
  integer,
  list,
  number,
  oneOf,
  optional,
  record,
  refine,
  text,
} from '../input/checks.js';
import type { LocatedNode, Problems } from '../input/document.js';
import { orList, quote } from '../input/problems.js';
import { chooseByKey, chooseByTag, expectNamed, expectParameter } from './checks.js';
import { type CalibratedModel, isTotal } from './models.js';
import type { ModuleSpec, ParameterSpec } from './parameters.js';
import type { Presence, QuantitySpec, SensorSpec, WindowSpec } from './profile.js';
import { expectQuantity } from './read-models.js';

type Modules = readonly ModuleSpec[] | undefined;

export function readSensors(modules: Modules): Check<readonly SensorSpec[]> {
  return expectNamed('sensors by name', (name) => {
    const shape = {
      count: optional(integer(1, 32), 1),
      present: optional(expectPresence(modules)),
      windows: optional(windowSpec),
      reads: expectQuantities(modules),
    };
    return refine(record(`the sensor ${quote(name)}`, shape), (read, entry, problems) => {
      const { count, present, windows } = read;
      if (present) checkPresence(present, count, modules, entry, problems);
      for (const { model } of read.reads) {
        if (model.kind === 'calibrated') checkCalibration(model, count, modules, entry, problems);
      }
      const { kind } = windows ?? {};
      const counter =
        kind === 'count' || kind === 'total' || kind === 'amount' || read.reads.some(({ model }) => isTotal(model));
      if (counter) checkCounters(read.reads, kind, entry, problems);
      if (read.reads.some(({ atWindow }) => atWindow) && kind !== 'statistics') {
        problems.add(
          entry,
          '"at_window" needs windows with minimum, maximum, average and median of the other quantities',
        );
      }
      return { name, count, quantities: read.reads, counter, ...(present && { present }), windows };
    });
  });
}

function expectQuantities(modules: Modules): Check<readonly QuantitySpec[]> {
  const reads = (above: string[]) =>
    expectNamed('quantities by name', (name) => {
      const check = expectQuantity(name, [...above], modules);
      above.push(name);
      return check;
    });
  return formed(
    () => formOf(reads([])),
    (node, problems) => reads([])(node, problems),
  );
}

function expectPresence(modules: Modules): Check<Presence> {
  const withSlots = modules?.flatMap((module) => (module.slots ? [module.name] : []));
  const numbered = text(/^[a-z0-9-]+$/, 'a parameter');
  const slot = { slots: withSlots ? oneOf(withSlots) : text(), enabled: expectParameter(modules, ['bool']) };
  return chooseByKey<Presence>({
    slots: refine(record('present', slot), ({ slots, enabled }) => ({ kind: 'slot', module: slots, enabled })),
    device: refine(record('present', { device: numbered, is: text() }), ({ device, is }) => ({
      kind: 'device',
      ref: { module: 'app', name: device },
      is,
    })),
    setting: refine(
      record('present', { setting: expectParameter(modules, ['enum']), is: list(text(), 1) }),
      ({ setting, is }) => ({ kind: 'setting', ref: setting, is }),
    ),
    flag: refine(record('present', { flag: numbered }), ({ flag }) => ({
      kind: 'flag',
      ref: { module: 'app', name: flag },
    })),
    parameter: refine(record('present', { parameter: numbered, is: text() }), (read) => ({
      kind: 'parameter',
      ref: { module: 'app', name: read.parameter },
      is: read.is,
    })),
  });
}

/** Checks that each sensor has the parameters that decide whether it is present. The slots of a module always exist. */
function checkPresence(
  present: Presence,
  count: number,
  modules: Modules,
  node: LocatedNode,
  problems: Problems,
): void {
  switch (present.kind) {
    case 'slot':
      return;
    case 'setting':
      return checkValues(present.ref.name, present.is, modules, node, problems);
    case 'device':
      return checkDeviceSlots(present, count, modules, node, problems);
    case 'flag':
      return checkNumbered(present.ref.name, ['bool'], count, modules, node, problems);
    case 'parameter':
      return checkNumbered(present.ref.name, ['enum'], count, modules, node, problems);
  }
}

/** Checks that an enum parameter can have these values. */
function checkValues(
  name: string,
  values: readonly string[],
  modules: Modules,
  node: LocatedNode,
  problems: Problems,
): void {
  const spec = modules?.find((module) => module.name === 'app')?.parameters.find((known) => known.name === name);
  for (const value of values) {
    if (spec?.type !== 'enum' || spec.values.includes(value)) continue;
    problems.add(node, `${quote(value)} is not a value of ${quote(name)}: ${orList(spec.values)}`);
  }
}

/** Checks that a numbered parameter exists for each sensor: channel-mode-1 to channel-mode-8. */
function checkNumbered(
  numbered: string,
  types: readonly ParameterSpec['type'][],
  count: number,
  modules: Modules,
  node: LocatedNode,
  problems: Problems,
): void {
  const known = modules?.find((module) => module.name === 'app')?.parameters;
  if (known === undefined) return;
  for (let n = 1; n <= count; n++) {
    const name = `${numbered}-${n}`;
    if (known.some((spec) => spec.name === name && types.includes(spec.type))) continue;
    const wanted = `${orList(types)} parameter ${quote(name)} is missing`;
    problems.add(node, `${count} sensors are set up by "${numbered}", but ${wanted}`);
    return;
  }
}

/** Checks that each slot exists, numbered from 0: device-0 to device-7. */
function checkDeviceSlots(
  { ref, is }: Extract<Presence, { readonly kind: 'device' }>,
  count: number,
  modules: Modules,
  node: LocatedNode,
  problems: Problems,
): void {
  const known = modules?.find((module) => module.name === ref.module)?.parameters;
  if (known === undefined) return;
  for (let n = 0; n < count; n++) {
    const spec = known.find((candidate) => candidate.name === `${ref.name}-${n}`);
    const types = spec?.type === 'string' ? spec.types : undefined;
    if (types === undefined) {
      const wanted = `parameter ${quote(`${ref.name}-${n}`)} with the check "device-slot" is missing`;
      problems.add(node, `${count} sensors are set up by "${ref.name}", but ${wanted}`);
      return;
    }
    if (types[is] !== undefined) continue;
    problems.add(
      node,
      `${quote(is)} is not a device type of ${quote(`${ref.name}-${n}`)}: ${orList(Object.keys(types))}`,
    );
    return;
  }
}

function checkCalibration(
  { points }: CalibratedModel,
  count: number,
  modules: Modules,
  node: LocatedNode,
  problems: Problems,
): void {
  for (const word of ['x0', 'y0', 'x1', 'y1']) {
    checkNumbered(`${points}-${word}`, ['float'], count, modules, node, problems);
  }
  checkNumbered(`${points}-mode`, ['enum'], count, modules, node, problems);
}

/** Checks the quantities of a counter, and the windows with its increments. A run would report wrong numbers, such as 0. */
function checkCounters(
  quantities: readonly QuantitySpec[],
  kind: WindowSpec['kind'] | undefined,
  node: LocatedNode,
  problems: Problems,
): void {
  const isCount = ({ model }: QuantitySpec): boolean => {
    const scaled = model.kind === 'scaled' ? quantities[model.of] : undefined;
    return isTotal(model) || model.kind === 'meter' || (scaled !== undefined && isCount(scaled));
  };
  const other = quantities.find((quantity) => !isCount(quantity));
  if (other) {
    const { name, model } = other;
    problems.add(
      node,
      `a counter has only quantities with the models pulses, presses, rain and meter, but ${quote(name)} is a ${model.kind}`,
    );
  } else if (kind === 'statistics' || kind === 'direction') {
    problems.add(node, 'the windows of a counter need a "kind": count, total, amount or log');
  }
}

const buffer = integer(1, 1024);

function expectTotals(kind: 'count' | 'total'): Check<WindowSpec> {
  return refine(record('windows', { kind: text(), windows: buffer }), ({ windows }) => {
    return { kind, windows, samples: 0, missing: 'unchecked', each: 1 };
  });
}

/** Reads `windows`. Windows without a `kind` are of the kind `statistics`. */
const windowSpec: Check<WindowSpec> = chooseByKey<WindowSpec>({
  kind: chooseByTag<WindowSpec>('windows', 'kind', {
    direction: refine(record('windows', { kind: text(), samples: buffer, windows: buffer }), (read) => ({
      ...read,
      kind: 'direction',
      missing: 'spoils',
      each: 1,
    })),
    count: expectTotals('count'),
    total: expectTotals('total'),
    amount: refine(record('windows', { kind: text(), windows: buffer, each: number() }), (read) => ({
      ...read,
      kind: 'amount',
      samples: 0,
      missing: 'unchecked',
    })),
    log: refine(
      record('windows', {
        kind: text(),
        samples: buffer,
        missing: optional(oneOf(['unchecked', 'skipped']), 'unchecked' as const),
        restarts: optional(list(text(), 1)),
      }),
      ({ restarts, ...read }) => ({ ...read, kind: 'log', windows: 0, each: 1, ...(restarts && { restarts }) }),
    ),
  }),
  samples: refine(
    record('windows', {
      samples: buffer,
      windows: buffer,
      missing: oneOf(['spoils', 'unchecked', 'skipped']),
      dated_by: optional(oneOf(['first', 'last']), 'first' as const),
    }),
    ({ dated_by, ...read }) => ({
      kind: 'statistics',
      each: 1,
      ...read,
      ...(dated_by === 'last' && { datedByLast: true }),
    }),
  ),
});

/** Reads a quantity of a sensor, such as `hygrometer.temperature`, as the indices of the sensor and of the quantity. */
export function expectQuantityRef(
  sensors: readonly SensorSpec[] | undefined,
): Check<{ readonly sensor: number; readonly quantity: number }> {
  return formed(
    () => ({ type: 'string', pattern: /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/.source }),
    (node, problems) => {
      if (sensors === undefined) return { sensor: 0, quantity: 0 };
      const [sensorName, quantityName] = node.kind === 'scalar' ? String(node.value).split('.') : [];
      const sensor = sensors.findIndex(({ name }) => name === sensorName);
      const index = sensors[sensor]?.quantities.findIndex(({ name }) => name === quantityName) ?? -1;
      if (index >= 0) return { sensor, quantity: index };
      const all = sensors.flatMap((spec) => spec.quantities.map(({ name }) => `${spec.name}.${name}`));
      return complain(node, problems, `a quantity of a sensor; there are ${all.join(', ')}`);
    },
  );
}
