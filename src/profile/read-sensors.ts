/** The measuring side of a profile: sensors, event lists and tasks. */
import {
  boolean,
  type Check,
  complain,
  duration,
  integer,
  list,
  number,
  oneOf,
  optional,
  record,
  text,
} from '../input/checks.js';
import type { LocatedNode, Problems } from '../input/document.js';
import { orList, quote } from '../input/problems.js';
import { type Millis, parseDuration } from '../kernel/time.js';
import { byTag, parameter } from './checks.js';
import { type CalibratedModel, isTotal, quantity } from './models.js';
import type { ModuleSpec, ParameterSpec } from './parameters.js';
import type {
  AlarmSpec,
  EventListSpec,
  ParameterRef,
  Presence,
  QuantitySpec,
  SensorSpec,
  TaskSpec,
  WindowSpec,
} from './profile.js';

type Modules = readonly ModuleSpec[] | undefined;

/** Reads the section `sensors`. */
export function readSensors(modules: Modules): Check<readonly SensorSpec[]> {
  return named('sensors by name', (name, entry, problems) => {
    const shape = {
      count: optional(integer(1, 32), 1),
      present: optional(presence(modules)),
      windows: optional(windowSpec),
      reads: quantities(modules),
    };
    const read = record(`the sensor ${quote(name)}`, shape)(entry, problems);
    if (read === undefined) return undefined;
    const { count, present, windows } = read;
    if (present?.kind === 'parameter' || present?.kind === 'flag') {
      const type = present.kind === 'flag' ? 'bool' : 'enum';
      checkNumbered(present.ref.name, [type], count, modules, entry, problems);
    }
    for (const { model } of read.reads) {
      if (model.kind === 'calibrated') checkCalibration(model, count, modules, entry, problems);
    }
    const { kind } = windows ?? {};
    const counter = kind === 'count' || kind === 'amount' || read.reads.some(({ model }) => isTotal(model));
    return { name, count, quantities: read.reads, counter, ...(present && { present }), ...(windows && { windows }) };
  });
}

const quantities =
  (modules: Modules): Check<readonly QuantitySpec[]> =>
  (node, problems) => {
    const above: string[] = [];
    const each = named('quantities by name', (name, entry) => {
      const read = quantity(name, above, modules)(entry, problems);
      above.push(name);
      return read;
    });
    return each(node, problems);
  };

function presence(modules: Modules): Check<Presence> {
  return (node, problems) => {
    if (node.kind === 'map' && node.entries.has('slots')) {
      const withSlots = modules?.flatMap((module) => (module.slots ? [module.name] : []));
      const shape = { slots: withSlots ? oneOf(withSlots) : text(), enabled: parameter(modules, ['bool']) };
      const read = record('present', shape)(node, problems);
      return read && { kind: 'slot', module: read.slots, enabled: read.enabled };
    }
    const numbered = text(/^[a-z0-9-]+$/, 'a parameter');
    if (node.kind === 'map' && node.entries.has('flag')) {
      const read = record('present', { flag: numbered })(node, problems);
      return read && { kind: 'flag', ref: { module: 'app', name: read.flag } };
    }
    const read = record('present', { parameter: numbered, is: text() })(node, problems);
    return read && { kind: 'parameter', ref: { module: 'app', name: read.parameter }, is: read.is };
  };
}

/** A numbered parameter has one setting for each of the sensors: channel-mode-1 to channel-mode-8. */
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
    const wanted = `there is no ${orList(types)} parameter ${quote(name)}`;
    problems.add(node, `${count} sensors are set up by "${numbered}", but ${wanted}`);
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

/** `windows`: statistics unless `kind` says something else. */
const windowSpec: Check<WindowSpec> = (node, problems) => {
  const samples = integer(1, 1024);
  const windows = integer(1, 1024);
  const missing = oneOf(['spoils', 'unchecked', 'skipped']);
  if (node.kind !== 'map' || !node.entries.has('kind')) {
    const read = record('windows', { samples, windows, missing })(node, problems);
    return read && { kind: 'statistics', each: 1, ...read };
  }
  return byTag<WindowSpec>('windows', 'kind', {
    direction: (map, problems) => {
      const read = record('windows', { kind: text(), samples, windows })(map, problems);
      return read && { ...read, kind: 'direction', missing: 'spoils', each: 1 };
    },
    count: (map, problems) => {
      const read = record('windows', { kind: text(), windows })(map, problems);
      return read && { ...read, kind: 'count', samples: 0, missing: 'unchecked', each: 1 };
    },
    amount: (map, problems) => {
      const read = record('windows', { kind: text(), windows, each: number() })(map, problems);
      return read && { ...read, kind: 'amount', samples: 0, missing: 'unchecked' };
    },
    log: (map, problems) => {
      const read = record('windows', { kind: text(), samples })(map, problems);
      return read && { ...read, kind: 'log', windows: 0, missing: 'unchecked', each: 1 };
    },
  })(node, problems);
};

/** A quantity of a sensor by name: `hygrometer.temperature`, as two indices. */
export function quantityRef(
  sensors: readonly SensorSpec[] | undefined,
): Check<{ readonly sensor: number; readonly quantity: number }> {
  return (node, problems) => {
    if (sensors === undefined) return { sensor: 0, quantity: 0 };
    const [sensorName, quantityName] = node.kind === 'scalar' ? String(node.value).split('.') : [];
    const sensor = sensors.findIndex(({ name }) => name === sensorName);
    const index = sensors[sensor]?.quantities.findIndex(({ name }) => name === quantityName) ?? -1;
    if (index >= 0) return { sensor, quantity: index };
    const all = sensors.flatMap((spec) => spec.quantities.map(({ name }) => `${spec.name}.${name}`));
    return complain(node, problems, `a quantity of a sensor; there are ${all.join(', ')}`);
  };
}

/** Reads the section `events`. */
export function readEventLists(
  modules: Modules,
  sensors: readonly SensorSpec[] | undefined,
): Check<readonly EventListSpec[]> {
  const capacity = integer(1, 1024);
  const common = { kind: text(), of: quantityRef(sensors), capacity };
  const onOff = parameter(modules, ['bool']);
  const alarm: Check<AlarmSpec> = record('an alarm', {
    threshold: parameter(modules, ['float']),
    hysteresis: parameter(modules, ['float']),
    report: onOff,
  });
  return named('event lists by name', (name, entry, problems) =>
    byTag<EventListSpec>(`the event list ${quote(name)}`, 'kind', {
      edge: (map, problems) => {
        const report = record('report', { on: onOff, off: onOff });
        const read = record('an edge event list', { ...common, above: number(), report })(map, problems);
        if (read === undefined) return undefined;
        const { of, capacity, above } = read;
        const model = sensors?.[of.sensor]?.quantities[of.quantity]?.model.kind;
        if (model && model !== 'constant' && model !== 'switch') {
          problems.add(map, `a ${model} has no edges: an edge event list needs a constant or a switch`);
        }
        return { kind: 'edge', name, ...of, capacity, above, reportOn: read.report.on, reportOff: read.report.off };
      },
      alarm: (map, problems) => {
        const read = record('an alarm event list', { ...common, high: alarm, low: alarm })(map, problems);
        if (read === undefined) return undefined;
        const { of, capacity, high, low } = read;
        if (sensors && sensors[of.sensor]?.windows?.kind !== 'statistics') {
          problems.add(map, 'an alarm is evaluated when a sample goes into a window, but this sensor has no windows');
        }
        return { kind: 'alarm', name, ...of, capacity, high, low };
      },
      press: (map, problems) => {
        const read = record('a press event list', { kind: text(), of: list(quantityRef(sensors), 1), capacity })(
          map,
          problems,
        );
        const [first] = read?.of ?? [];
        if (read === undefined || first === undefined) return undefined;
        for (const { sensor, quantity } of read.of) {
          const model = sensors?.[sensor]?.quantities[quantity]?.model.kind ?? 'presses';
          if (sensor === first.sensor && model === 'presses') continue;
          problems.add(map, 'the types of a press event list must be presses of one sensor');
        }
        return { kind: 'press', name, ...first, capacity: read.capacity, types: read.of.map((at) => at.quantity) };
      },
    })(entry, problems),
  );
}

/** Reads the section `tasks`. */
export function readTasks(modules: Modules, sensors: readonly SensorSpec[] | undefined): Check<readonly TaskSpec[]> {
  return (node, problems) => {
    const tasks = list(task(modules, sensors), 1)(node, problems);
    if (tasks && sensors) checkTasks(tasks, sensors, node, problems);
    return tasks;
  };
}

/** Windows that nobody closes, or two tasks at different times, would never show up in a run. */
function checkTasks(tasks: readonly TaskSpec[], sensors: readonly SensorSpec[], node: LocatedNode, problems: Problems) {
  sensors.forEach(({ name, windows }, sensor) => {
    const count = (kind: TaskSpec['kind']) => tasks.filter((t) => t.kind === kind && t.sensors.includes(sensor)).length;
    const closes = windows !== undefined && windows.kind !== 'log';
    if (closes && count('aggregate') !== 1) {
      problems.add(node, `${quote(name)} has windows: exactly one task must aggregate it, not ${count('aggregate')}`);
    }
    if (windows && windows.samples > 0 && count('sample') === 0) problems.add(node, `no task samples ${quote(name)}`);
  });
}

function task(modules: Modules, sensors: readonly SensorSpec[] | undefined): Check<TaskSpec> {
  const names = sensors?.map(({ name }) => name);
  const sensorList = list(names ? oneOf(names) : text(), 1);
  return (node, problems) => {
    const shape = {
      sample: optional(sensorList),
      aggregate: optional(sensorList),
      every: interval(modules),
      first: optional(duration),
      on_request: optional(boolean, true),
    };
    const read = record('a task', shape)(node, problems);
    if (read === undefined) return undefined;
    const { sample, aggregate, every, first } = read;
    const chosen = sample ?? aggregate;
    if (chosen === undefined || (sample && aggregate)) {
      problems.add(node, 'a task needs either "sample" or "aggregate"');
      return undefined;
    }
    const indices = chosen.map((name) => names?.indexOf(name) ?? 0);
    const without = indices.find((index) => sensors && !sensors[index]?.windows?.windows);
    if (aggregate && without !== undefined) {
      problems.add(node, `${quote(sensors?.[without]?.name)} can not be aggregated: it has no windows`);
    }
    const kind = sample ? 'sample' : 'aggregate';
    const what = `${kind} ${chosen.join(', ')}`;
    return { kind, what, sensors: indices, every, onRequest: read.on_request, ...(first !== undefined && { first }) };
  };
}

/** A duration, or the name of a parameter that holds seconds. */
function interval(modules: Modules): Check<Millis | ParameterRef> {
  return (node, problems) => {
    const fixed = node.kind === 'scalar' ? parseDuration(node.source) : undefined;
    if (fixed !== undefined && fixed > 0) return fixed;
    return parameter(modules, ['int'])(node, problems);
  };
}

/** A map whose values are read one by one, with their names; undefined when any of them was wrong. */
function named<T>(
  wanted: string,
  read: (name: string, entry: LocatedNode, problems: Problems) => T | undefined,
): Check<readonly T[]> {
  return (node, problems) => {
    if (node.kind !== 'map') return complain(node, problems, `a map of ${wanted}`);
    const all: T[] = [];
    for (const [name, entry] of node.entries) {
      if (!/^[a-z][a-z0-9_]*$/.test(name)) {
        problems.add(entry.key, `${quote(name)} is not a name of small letters, digits and _`);
      }
      const one = read(name, entry.value, problems);
      if (one !== undefined) all.push(one);
    }
    return all.length === node.entries.size ? all : undefined;
  };
}
