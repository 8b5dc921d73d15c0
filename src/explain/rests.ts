/** How long a passing fault of the modem kept the modem off, according to the events of the device. */
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import type { TraceEvent } from '../trace/events.js';
import type { SituationFault } from './situation.js';

interface Rest {
  readonly at: Instant;
  readonly lasts: Millis;
}

/** A fault that makes the modem fail switches the modem off within this time. */
const AT_ONCE: Millis = seconds(1);

/**
 * Returns `faults` with one change: a fault that made the modem fail once (`disturbs`) blocks for as long as the modem was off.
 * @param events of one device, in order
 */
export function withRests(faults: readonly SituationFault[], events: readonly TraceEvent[]): readonly SituationFault[] {
  const rests = events.flatMap((event): readonly Rest[] => (event.kind === 'radio.paused' ? [event] : []));
  return faults.map((fault): SituationFault => {
    if (fault.effect !== 'disturbs') return fault;
    const windows = fault.windows.flatMap(({ from }) => {
      const rest = rests.find(({ at }) => at >= from && at - from <= AT_ONCE);
      return rest === undefined ? [] : [{ from, until: rest.at + rest.lasts }];
    });
    return windows.length === 0 ? fault : { ...fault, effect: 'blocks', on: 'modem', windows };
  });
}
