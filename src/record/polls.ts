/**
 * Polls by the clock. The history does not show them, but it may tell their interval (`interval-poll`), and a delivery that
 * no uplink led to shows one of them, and with it where the others are.
 *
 * A poll reaches the cloud when its timer has run out and the radio has woken up. How long that took is seen where a poll is
 * seen, and differs from poll to poll; the middle of what was seen is the best that can be foretold of the others.
 */
import { type Millis, seconds } from '../kernel/time.js';
import { byDevice } from './group.js';
import { median } from './median.js';
import type { RecordedUplink, Recording } from './recording.js';

export interface Poll {
  readonly device: string;
  /** When the cloud received it. */
  readonly at: Millis;
}

const STARTS: ReadonlySet<string> = new Set(['session', 'decoder', 'encoder', 'config']);
/** A radio wakes up in 1 to 4 s (firmware behaviour, 4.1): in the devices' time, as the next two. */
const WAKE: Millis = 2500;
/** A poll that was seen belongs to the timer when it is this close to where the timer has it, plus a share for its drift. */
const TOLERANCE = seconds(4);
const DRIFT = 0.01;
/** So many delays tell more than one of them that happened to be seen; and older ones than these are out of date. */
const ENOUGH = 3;
const LATEST = 5;

/**
 * Times of all polls, ascending: those that were seen, and where the interval is known, those between them.
 * @param seen in any order
 * @param trip round trip on the network of a device
 */
export function pollsByTimer(
  recording: Pick<Recording, 'devices' | 'uplinks' | 'from' | 'until' | 'speed'>,
  seen: readonly Poll[],
  trip: (device: string) => Millis,
): ReadonlyMap<string, readonly Millis[]> {
  const { devices, from, until, speed } = recording;
  const uplinks = byDevice(recording.uplinks);
  const polls = byDevice([...seen].sort((a, b) => a.at - b.at));
  const shown = (device: string) => (polls.get(device) ?? []).map(({ at }) => at);
  const wake = WAKE / speed;
  const timers = new Map(
    devices.map(({ device }) => {
      const surroundings = { length: until - from, trip: trip(device), speed };
      return [device, timersOf(uplinks.get(device) ?? [], shown(device), surroundings)];
    }),
  );
  const delays = [...timers.values()]
    .flat()
    .flatMap((timer) => (timer.anchor === null ? [] : follow(timer, wake).delays));
  const usual = delays.length < ENOUGH ? wake : (median(delays) ?? wake);
  return new Map(
    [...timers].map(([device, own]) => {
      const foretold = own.flatMap((timer) => follow(timer, usual).foretold);
      return [device, [...new Set([...shown(device), ...foretold])].sort((a, b) => a - b)];
    }),
  );
}

/** A timer of polls: from one restart of its device to the next. */
interface Timer {
  readonly from: Millis;
  readonly until: Millis;
  readonly every: Millis;
  /** When it began; null: before the recording. */
  readonly anchor: Millis | null;
  /** Polls that were seen meanwhile, ascending. */
  readonly seen: readonly Millis[];
  /** How far from its place one of them may be. */
  readonly tolerance: Millis;
}

interface Surroundings {
  readonly length: Millis;
  readonly trip: Millis;
  readonly speed: number;
}

/** The timers of a device, as far as their interval is known. */
function timersOf(
  uplinks: readonly RecordedUplink[],
  polls: readonly Millis[],
  { length, trip, speed }: Surroundings,
): readonly Timer[] {
  const timers: Timer[] = [];
  let [from, every]: [Millis, Millis] = [0, 0];
  let anchor: Millis | null = null;
  const end = (until: Millis) => {
    if (every <= 0) return;
    const tolerance = Math.min(every / 2, TOLERANCE / speed + DRIFT * every);
    const seen = polls.filter((at) => at >= from && at < until);
    timers.push({ from, until, every, anchor, seen, tolerance });
  };
  let starting = false;
  for (const { type, at, pollEvery } of uplinks) {
    if (type === 'session') {
      end(at);
      from = at;
      starting = true;
    }
    if (pollEvery !== null) every = seconds(pollEvery) / speed;
    if (!STARTS.has(type)) starting = false;
    // The timer begins when the session is set up: the answer to its last upload has arrived.
    if (starting) anchor = at + trip * (type === 'session' ? 2 : 1);
  }
  end(length);
  return timers;
}

interface Course {
  /** Polls that were not seen, and must have been. */
  readonly foretold: readonly Millis[];
  /** From when it ran out until its poll was received, of those that were seen. */
  readonly delays: readonly Millis[];
}

/** @param usual delay where the timer's own polls do not tell it */
function follow({ from, until, every, anchor, seen, tolerance }: Timer, usual: Millis): Course {
  const foretold: Millis[] = [];
  const delays: Millis[] = [];
  const [first] = seen;
  if (anchor === null && first === undefined) return { foretold, delays };
  // Without the beginning of the timer, a poll that was seen shows where it runs out: also before that one.
  const zero = anchor ?? (first as Millis) - usual;
  let delay = usual;
  let i = 0;
  for (let n = anchor === null ? Math.ceil((from - zero - usual) / every) : 1; ; n++) {
    const due: Millis = zero + n * every;
    const expected = due + delay;
    if (expected >= until) return { foretold, delays };
    while ((seen[i] ?? Number.POSITIVE_INFINITY) < expected - tolerance) i++;
    const found = seen[i];
    if (found === undefined || found > expected + tolerance) {
      foretold.push(Math.round(expected));
      continue;
    }
    delays.push(found - due);
    if (delays.length >= ENOUGH) delay = median(delays.slice(-LATEST)) ?? usual;
  }
}
