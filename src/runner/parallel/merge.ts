/** Merges the events of all parts in one window of simulated time into the order that they would have in an undivided run. */
import type { TraceEvent } from '../../trace/events.js';
import { placeOf } from '../../trace/instant-order.js';
import type { Lines, Logged } from './messages.js';

interface Entry extends Logged {
  /** Orders events of the same time and phase. */
  readonly place: number;
  /** Orders events of the same time: 0 for those before the event `world.closing`, 1 for that event, 2 for those after it. */
  readonly phase: number;
}

/** @param parts the events of each part, in order */
export function merged(parts: readonly Lines[]): readonly Logged[] {
  const entries = parts.flatMap(entriesOf);
  entries.sort((a, b) => a.event.at - b.event.at || a.phase - b.phase || a.place - b.place);
  const result: Logged[] = [];
  for (const { event, line } of entries) {
    const last = result.at(-1)?.event;
    if (last?.at !== event.at || last.kind !== event.kind) result.push({ event, line });
    // Every part emits `world.closing`, and `cloud.pruned` with the number of messages pruned in its own cloud. The merged log
    // has one `world.closing`, and one `cloud.pruned` with the sum.
    else if (event.kind === 'cloud.pruned' && last.kind === 'cloud.pruned') {
      const sum = { ...event, messages: last.messages + event.messages };
      result[result.length - 1] = { event: sum, line: JSON.stringify(sum) };
    } else if (event.kind !== 'world.closing') result.push({ event, line });
  }
  return result;
}

function entriesOf(lines: Lines): readonly Entry[] {
  let phase = 0;
  return loggedIn(lines).map(({ event, line }) => {
    if (event.kind !== 'world.closing') return { event, line, place: placeOf(event) ?? 0, phase };
    phase = 2;
    return { event, line, place: 0, phase: 1 };
  });
}

function loggedIn(lines: Lines): readonly Logged[] {
  if (typeof lines !== 'string') return lines;
  // The cast is safe because the thread wrote each line from an event.
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => ({ event: JSON.parse(line) as TraceEvent, line }));
}
