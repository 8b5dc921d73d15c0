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
import { quote } from '../input/problems.js';
import { type Millis, parseDuration } from '../kernel/time.js';
import { byTag, parameter } from './checks.js';
import { quantity } from './models.js';
import type { ModuleSpec } from './parameters.js';
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
      reads: quantities,
    };
    const read = record(`the sensor ${quote(name)}`, shape)(entry, problems);
    if (read === undefined) return undefined;
    const { count, present, windows } = read;
    if (present?.kind === 'parameter') checkNumbered(present.ref, count, modules, entry, problems);
    return { name, count, quantities: read.reads, ...(present && { present }), ...(windows && { windows }) };
  });
}

const quantities: Check<readonly QuantitySpec[]> = (node, problems) => {
  const above: string[] = [];
  const each = named('quantities by name', (name, entry) => {
    const read = quantity(name, above)(entry, problems);
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
    const read = record('present', { parameter: text(/^[a-z0-9-]+$/, 'a parameter'), is: text() })(node, problems);
    return read && { kind: 'parameter', ref: { module: 'app', name: read.parameter }, is: read.is };
  };
}

/** A numbered parameter has one setting for each of the sensors: channel-mode-1 to channel-mode-8. */
function checkNumbered(ref: ParameterRef, count: number, modules: Modules, node: LocatedNode, problems: Problems) {
  const known = modules?.find((module) => module.name === ref.module)?.parameters;
  if (known === undefined) return;
  for (let n = 1; n <= count; n++) {
    const name = `${ref.name}-${n}`;
    if (known.some((spec) => spec.name === name && spec.type === 'enum')) continue;
    problems.add(node, `${count} sensors are present by "${ref.name}", but there is no enum parameter ${quote(name)}`);
    return;
  }
}

const windowSpec: Check<WindowSpec> = (node, problems) => {
  const counts = node.kind === 'map' && node.entries.get('kind');
  if (counts) {
    const read = record('windows', { kind: oneOf(['count']), windows: integer(1, 1024) })(node, problems);
    return read && { kind: 'count', samples: 0, windows: read.windows, missing: 'unchecked' };
  }
  const shape = {
    samples: integer(1, 1024),
    windows: integer(1, 1024),
    missing: oneOf(['spoils', 'unchecked', 'skipped']),
  };
  const read = record('windows', shape)(node, problems);
  return read && { kind: 'statistics', ...read };
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
  const common = { kind: text(), of: quantityRef(sensors), capacity: integer(1, 1024) };
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
    if (windows && count('aggregate') !== 1) {
      problems.add(node, `${quote(name)} has windows: exactly one task must aggregate it, not ${count('aggregate')}`);
    }
    if (windows?.kind === 'statistics' && count('sample') === 0) problems.add(node, `no task samples ${quote(name)}`);
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
    const without = indices.find((index) => sensors && sensors[index]?.windows === undefined);
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
