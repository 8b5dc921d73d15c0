/** The section `tasks`: the sensors to sample and to aggregate, and the intervals. */
import {
  boolean,
  type Check,
  complain,
  duration,
  formed,
  formOf,
  list,
  oneOf,
  optional,
  record,
  refine,
  text,
} from '../input/checks.js';
import type { LocatedNode, Problems } from '../input/document.js';
import { quote } from '../input/problems.js';
import { type Millis, parseDuration } from '../kernel/time.js';
import { expectParameter } from './checks.js';
import type { ModuleSpec, ParameterRef } from './parameters.js';
import type { EventListSpec, SensorSpec, TaskSpec } from './profile.js';

type Modules = readonly ModuleSpec[] | undefined;

export function readTasks(
  modules: Modules,
  sensors: readonly SensorSpec[] | undefined,
  eventLists: readonly EventListSpec[] | undefined,
): Check<readonly TaskSpec[]> {
  return refine(list(expectTask(modules, sensors), 1), (tasks, node, problems) => {
    // Buttons whose windows are closed by presses instead of by a task: those with a `period`.
    const pressed = (eventLists ?? []).flatMap((each) => (each.kind === 'press' && each.period ? [each.sensor] : []));
    if (sensors) checkTasks(tasks, sensors, pressed, node, problems);
    return tasks;
  });
}

/**
 * Checks that exactly one task aggregates each sensor whose windows a task closes, and that a task samples each sensor whose
 * windows contain samples. A run would not show such mistakes.
 * @param pressed sensors whose windows are closed by presses of a button, not by a task
 */
function checkTasks(
  tasks: readonly TaskSpec[],
  sensors: readonly SensorSpec[],
  pressed: readonly number[],
  node: LocatedNode,
  problems: Problems,
) {
  sensors.forEach(({ name, windows }, sensor) => {
    const count = (kind: TaskSpec['kind']) => tasks.filter((t) => t.kind === kind && t.sensors.includes(sensor)).length;
    const closes = windows !== undefined && windows.kind !== 'log' && !pressed.includes(sensor);
    if (closes && count('aggregate') !== 1) {
      problems.add(node, `${quote(name)} has windows: exactly one task must aggregate it, not ${count('aggregate')}`);
    }
    if (windows && windows.samples > 0 && count('sample') === 0) problems.add(node, `no task samples ${quote(name)}`);
  });
}

function expectTask(modules: Modules, sensors: readonly SensorSpec[] | undefined): Check<TaskSpec> {
  const names = sensors?.map(({ name }) => name);
  const sensorList = list(names ? oneOf(names) : text(), 1);
  const shape = {
    sample: optional(sensorList),
    aggregate: optional(sensorList),
    every: expectInterval(modules),
    first: optional(duration),
    on_request: optional(boolean, true),
  };
  return refine(record('a task', shape), (read, node, problems) => {
    const { sample, aggregate, every, first } = read;
    const chosen = sample ?? aggregate;
    if (chosen === undefined || (sample && aggregate)) {
      problems.add(node, 'a task needs either "sample" or "aggregate"');
      return undefined;
    }
    const indices = chosen.map((name) => names?.indexOf(name) ?? 0);
    const without = indices.find((index) => sensors && !sensors[index]?.windows?.windows);
    if (aggregate && without !== undefined) {
      problems.add(node, `${quote(sensors?.[without]?.name)} cannot be aggregated: it has no windows`);
    }
    const kind = sample ? 'sample' : 'aggregate';
    const what = `${kind} ${chosen.join(', ')}`;
    return { kind, what, sensors: indices, every, onRequest: read.on_request, first };
  });
}

/** A duration, or the name of a parameter with a number of seconds. */
function expectInterval(modules: Modules): Check<Millis | ParameterRef> {
  const holds = expectParameter(modules, ['int']);
  return formed(
    () => ({ anyOf: [formOf(duration), formOf(holds)] }),
    (node, problems) => {
      const fixed = node.kind === 'scalar' ? parseDuration(node.source) : undefined;
      if (fixed === undefined) return holds(node, problems);
      return fixed > 0 ? fixed : complain(node, problems, 'a duration above 0s');
    },
  );
}
