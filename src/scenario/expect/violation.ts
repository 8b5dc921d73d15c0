/** The text of a violation of an invariant: time, device, description, and the events that show it. */
import { humanDuration, sinceStart } from '../../kernel/time.js';
import type { TraceEvent } from '../../trace/events.js';
import type { Violation } from '../../trace/invariants/invariant.js';

/** Returns the name of the device with this serial number. */
export type NameOf = (serial: number) => string;

/** `at 1h 02m (3723456 ms) by clime-0003: uplink 5 was stored again; uplink.sent at 3723001 (uplink 5, data), then …` */
export function describeViolation({ at, serial, what, events }: Violation, nameOf: NameOf): string {
  const shown = events.map(describeEvent).join(', then ');
  return `at ${humanDuration(sinceStart(at))} (${at} ms) by ${nameOf(serial)}: ${what}; ${shown}`;
}

/** Kind, time and details of an event: `uplink.sent at 34016 (uplink 1, data)`. */
function describeEvent(event: TraceEvent): string {
  const details: string[] = [];
  for (const [key, value] of Object.entries(event)) {
    if (key === 'kind' || key === 'at' || key === 'serial') continue;
    details.push(key === 'type' ? String(value) : `${key} ${value}`);
  }
  return `${event.kind} at ${event.at}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}
