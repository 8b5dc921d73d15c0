/** Merges the events of the parts of a run, for each window, into the order that they have in one world. */
import type { TraceEvent } from '../../trace/events.js';
import { placeOf } from '../../trace/instant-order.js';

/** An event with its line of the event log, without the line feed. */
interface Logged {
  readonly event: TraceEvent;
  readonly line: string;
}

interface Entry extends Logged {
  /** Its place among the events of the instant. */
  readonly place: number;
  /** Of the events at the same time: 0 before the end of the scenario, 1 the end itself, 2 after it. */
  readonly phase: number;
}

/** @param parts the lines of each part, in order, each with a line feed at its end */
export function merged(parts: readonly string[]): readonly Logged[] {
  const entries = parts.flatMap(entriesOf);
  entries.sort((a, b) => a.event.at - b.event.at || a.phase - b.phase || a.place - b.place);
  const result: Logged[] = [];
  for (const { event, line } of entries) {
    const last = result.at(-1)?.event;
    if (last?.at !== event.at || last.kind !== event.kind) result.push({ event, line });
    // Every part ends, and every part deletes its own messages.
    else if (event.kind === 'cloud.pruned' && last.kind === 'cloud.pruned') {
      const sum = { ...event, messages: last.messages + event.messages };
      result[result.length - 1] = { event: sum, line: JSON.stringify(sum) };
    } else if (event.kind !== 'world.closing') result.push({ event, line });
  }
  return result;
}

function entriesOf(lines: string): readonly Entry[] {
  let phase = 0;
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      // Because the thread wrote the line from an event.
      const event = JSON.parse(line) as TraceEvent;
      if (event.kind !== 'world.closing') return { event, line, place: placeOf(event) ?? 0, phase };
      phase = 2;
      return { event, line, place: 0, phase: 1 };
    });
}
