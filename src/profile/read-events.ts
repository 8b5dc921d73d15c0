/** The section `events`: the lists of edges, alarms and presses for the next report. */
import { type Check, integer, list, number, optional, record, refine, text } from '../input/checks.js';
import { quote } from '../input/problems.js';
import { chooseByTag, expectNamed, expectParameter } from './checks.js';
import type { ModuleSpec } from './parameters.js';
import type { AlarmSpec, EventListSpec, SensorSpec } from './profile.js';
import { expectQuantityRef } from './read-sensors.js';

type Modules = readonly ModuleSpec[] | undefined;

const capacity = integer(1, 1024);

export function readEventLists(
  modules: Modules,
  sensors: readonly SensorSpec[] | undefined,
): Check<readonly EventListSpec[]> {
  const common = { kind: text(), of: expectQuantityRef(sensors), capacity };
  const onOff = expectParameter(modules, ['bool']);
  const alarm: Check<AlarmSpec> = record('an alarm', {
    threshold: expectParameter(modules, ['float']),
    hysteresis: expectParameter(modules, ['float']),
    report: onOff,
  });
  const alarms = { ...common, high: optional(alarm), low: optional(alarm) };
  const report = record('report', { on: onOff, off: onOff });
  return expectNamed('event lists by name', (name) =>
    chooseByTag<EventListSpec>(`the event list ${quote(name)}`, 'kind', {
      edge: refine(record('an edge event list', { ...common, above: number(), report }), (read, map, problems) => {
        const { of, capacity, above } = read;
        const model = sensors?.[of.sensor]?.quantities[of.quantity]?.model.kind;
        if (model && model !== 'constant' && model !== 'switch') {
          problems.add(map, `a ${model} has no edges: an edge event list needs a constant or a switch`);
        }
        return { kind: 'edge', name, ...of, capacity, above, reportOn: read.report.on, reportOff: read.report.off };
      }),
      alarm: refine(record('an alarm event list', alarms), (read, map, problems) => {
        const { of, capacity, high, low } = read;
        if (!high && !low) problems.add(map, 'an alarm event list needs "high" or "low"');
        if (sensors && sensors[of.sensor]?.windows?.kind !== 'statistics') {
          problems.add(
            map,
            'an alarm is evaluated with each sample of a window: its sensor needs "windows" without a "kind"',
          );
        }
        return { kind: 'alarm', name, ...of, capacity, high, low };
      }),
      press: pressList(name, modules, sensors),
    }),
  );
}

function pressList(name: string, modules: Modules, sensors: readonly SensorSpec[] | undefined): Check<EventListSpec> {
  const shape = {
    kind: text(),
    of: list(expectQuantityRef(sensors), 1),
    capacity: optional(capacity),
    period: optional(expectParameter(modules, ['int'])),
  };
  return refine(record('a press event list', shape), ({ of, capacity: most, period }, map, problems) => {
    const [first] = of;
    if (first === undefined) return undefined;
    for (const { sensor, quantity } of of) {
      const model = sensors?.[sensor]?.quantities[quantity]?.model.kind ?? 'presses';
      if (sensor === first.sensor && model === 'presses') continue;
      problems.add(map, 'the types of a press event list must be presses of one sensor');
    }
    if ((period === undefined) === (most === undefined)) {
      problems.add(map, 'a press event list needs either "capacity" or "period"');
    }
    if (period && sensors && sensors[first.sensor]?.windows?.kind !== 'total') {
      problems.add(map, 'with a "period", presses close windows of kind "total", but their sensor has no such windows');
    }
    const types = of.map((at) => at.quantity);
    return { kind: 'press', name, ...first, capacity: most ?? 0, types, period };
  });
}
