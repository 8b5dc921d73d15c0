/** The section `receiver`: when a device scans for meter frames, and the meters around it. */
import { type Check, duration, integer, list, ratio, record, refine, text } from '../input/checks.js';
import { orList, quote } from '../input/problems.js';
import type { Millis } from '../kernel/time.js';
import { expectParameter, range } from './checks.js';
import type { ModuleSpec } from './parameters.js';
import type { MetersSpec, ReceiverSpec } from './profile.js';

export function readReceiver(modules: readonly ModuleSpec[] | undefined): Check<ReceiverSpec> {
  const seconds = expectParameter(modules, ['int']);
  const choice = expectParameter(modules, ['enum']);
  const scan = record('scan', {
    mode: choice,
    every: seconds,
    hour: seconds,
    weekday: seconds,
    day: seconds,
    lasts: seconds,
    antennas: choice,
  });
  const capacity = integer(1, 1024);
  const shape = { scan, keep: text(), capacity, per_report: capacity, around };
  return refine(record('the receiver', shape), (read, node, problems) => {
    const withList = modules?.flatMap((module) => (module.list ? [module.name] : []));
    if (withList && !withList.includes(read.keep)) {
      const wanted = orList(withList) || 'there is none';
      problems.add(node, `"keep" names the module with the list of meters: ${wanted}, not ${quote(read.keep)}`);
    }
    const { keep, capacity: most, per_report: perReport } = read;
    return { scan: read.scan, keep, capacity: most, perReport, around: read.around };
  });
}

const times: Check<readonly [Millis, Millis]> = refine(list(duration, 2), (ends, node, problems) => {
  const [shortest, longest, ...more] = ends;
  if (shortest !== undefined && longest !== undefined && more.length === 0 && 0 < shortest && shortest <= longest) {
    return [shortest, longest];
  }
  problems.add(node, 'a list of the shortest and the longest time from one frame of a meter to the next');
  return undefined;
});

const around: Check<MetersSpec> = record('around', {
  count: integer(0, 1000),
  every: times,
  rssi: range,
  unheard: ratio,
});
