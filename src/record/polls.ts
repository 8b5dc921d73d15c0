/**
 * Polls by the clock. The history does not show them, but it may tell their interval (`interval-poll`), and a delivery that
 * no uplink led to shows one of them, and with it where the others are.
 */
import { type Millis, seconds } from '../kernel/time.js';
import type { RecordedUplink } from './recording.js';

const STARTS: ReadonlySet<string> = new Set(['session', 'decoder', 'encoder', 'config']);
/** A poll that was seen belongs to the timer when it is this close to where the timer has it, plus a share for its drift. */
const TOLERANCE = seconds(2);
const DRIFT = 0.01;

/**
 * Times of a device's polls: those that were seen, and where the interval is known, those between them.
 * @param seen in any order
 * @param length of the recording
 */
export function pollsByTimer(
  uplinks: readonly RecordedUplink[],
  seen: readonly Millis[],
  length: Millis,
  trip: Millis,
): readonly Millis[] {
  const polls = new Set(seen);
  for (const { from, until, every, anchor } of lives(uplinks, length, trip)) {
    const own = seen.filter((at) => at >= from && at < until).sort((a, b) => a - b);
    // Without the start of the timer, a poll that was seen shows it.
    const [first] = own;
    let last = anchor ?? first;
    if (last === undefined) continue;
    for (;;) {
      const next: Millis = last + every;
      if (next >= until) break;
      const found = own.find((at) => Math.abs(at - next) <= TOLERANCE + DRIFT * every);
      if (found === undefined) polls.add(next);
      last = Math.max(found ?? next, last + 1);
    }
  }
  return [...polls].sort((a, b) => a - b);
}

/** From one restart to the next. `anchor`: when the timer began; undefined: before the recording. */
interface Life {
  readonly from: Millis;
  readonly until: Millis;
  readonly every: Millis;
  readonly anchor: Millis | undefined;
}

/** The lives in which the device polls by the clock, as far as the interval is known. */
function lives(uplinks: readonly RecordedUplink[], length: Millis, trip: Millis): readonly Life[] {
  const found: Life[] = [];
  let [from, every]: [Millis, Millis] = [0, 0];
  let anchor: Millis | undefined;
  const end = (until: Millis) => {
    if (every > 0) found.push({ from, until, every, anchor });
  };
  let starting = false;
  for (const { type, at, pollEvery } of uplinks) {
    if (type === 'session') {
      end(at);
      from = at;
      starting = true;
    }
    if (pollEvery !== null) every = seconds(pollEvery);
    if (!STARTS.has(type)) starting = false;
    // The timer begins when the session is set up: the answer to its last upload has arrived.
    if (starting) anchor = at + trip * (type === 'session' ? 2 : 1);
  }
  end(length);
  return found;
}
