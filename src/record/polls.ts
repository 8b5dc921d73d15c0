/**
 * Estimates the periodic polls of devices. The history does not contain polls. But a configuration may contain the poll
 * interval (`interval-poll`), and a delivery without an uplink before it shows the time of one poll. The times of the other
 * polls follow from the interval and from this time.
 *
 * A poll reaches the cloud after its timer has expired and the radio has woken up. This delay is known only for polls that a
 * delivery shows, and it varies; the median of the known delays is the estimate for all other polls.
 */
import { UsageError } from '../kernel/errors.js';
import { type Millis, seconds } from '../kernel/time.js';
import { groupByDevice } from './group.js';
import { findMedian } from './median.js';
import type { RecordedUplink, Recording } from './recording.js';

export interface Poll {
  readonly device: string;
  /** When the cloud received the poll. */
  readonly at: Millis;
}

const STARTS: ReadonlySet<string> = new Set(['session', 'decoder', 'encoder', 'config']);
/** Typical time to wake the radio, which takes 1 to 4 s (behaviour B-36), in the time of the device. */
export const WAKE: Millis = 2500;
/** Maximum distance of a known poll of the timer from its expected time; the share `DRIFT` of the interval is added. */
const TOLERANCE = seconds(4);
const DRIFT = 0.01;
/** Number of known delays that the median needs, and number of the latest delays from which it is computed. */
const ENOUGH = 3;
const LATEST = 5;
/** Limit of the estimated polls of all devices together. */
const MOST_POLLS = 1_000_000;

/**
 * Times of the polls of each device, ascending. They are the known polls, and estimated ones if the interval is known.
 * @param seen known polls, in any order
 * @param trip round trip time of a device
 * @throws UsageError for more than {@link MOST_POLLS} estimated polls
 */
export function findPolls(
  recording: Pick<Recording, 'devices' | 'uplinks' | 'from' | 'until' | 'speed'>,
  seen: readonly Poll[],
  trip: (device: string) => Millis,
): ReadonlyMap<string, readonly Millis[]> {
  const { devices, from, until, speed } = recording;
  const uplinks = groupByDevice(recording.uplinks);
  const polls = groupByDevice([...seen].sort((a, b) => a.at - b.at));
  const shown = (device: string) => (polls.get(device) ?? []).map(({ at }) => at);
  const wake = WAKE / speed;
  const timers = new Map(
    devices.map(({ device }) => {
      const context = { length: until - from, trip: trip(device), speed };
      return [device, findTimers(uplinks.get(device) ?? [], shown(device), context)];
    }),
  );
  const all = [...timers.values()].flat();
  checkNumber(all);
  const delays = all.flatMap((timer) => (timer.anchor === null ? [] : follow(timer, wake).delays));
  const usual = delays.length < ENOUGH ? wake : (findMedian(delays) ?? wake);
  return new Map(
    [...timers].map(([device, own]) => {
      const foretold = own.flatMap((timer) => follow(timer, usual).foretold);
      return [device, [...new Set([...shown(device), ...foretold])].sort((a, b) => a - b)];
    }),
  );
}

function checkNumber(timers: readonly Timer[]): void {
  const polls = timers.reduce((sum, { from, until, every }) => sum + Math.ceil(Math.max(0, until - from) / every), 0);
  if (polls <= MOST_POLLS) return;
  throw new UsageError(
    'bad-file',
    `by their intervals, the devices of the recording polled ${polls} times; a replay can have at most ${MOST_POLLS} polls`,
    'record a shorter window (--after, --before), or fewer devices',
  );
}

/** The poll timer of a device, from one restart to the next. */
interface Timer {
  readonly from: Millis;
  readonly until: Millis;
  readonly every: Millis;
  /** When the timer started; null if that was before the recording. */
  readonly anchor: Millis | null;
  /** Known polls in this time, ascending. */
  readonly seen: readonly Millis[];
  /** Maximum distance of a known poll from its expected time. */
  readonly tolerance: Millis;
}

interface TimerContext {
  readonly length: Millis;
  readonly trip: Millis;
  readonly speed: number;
}

/** The timers of a device whose interval is known. */
function findTimers(
  uplinks: readonly RecordedUplink[],
  polls: readonly Millis[],
  { length, trip, speed }: TimerContext,
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
    // The timer starts when the session is set up: the answer to its last upload has arrived.
    if (starting) anchor = at + trip * (type === 'session' ? 2 : 1);
  }
  end(length);
  return timers;
}

interface TimerPolls {
  /** Estimated times of the polls that no delivery shows. */
  readonly foretold: readonly Millis[];
  /** Delays of the known polls after the timer expired. */
  readonly delays: readonly Millis[];
}

/** @param usual delay that is assumed until the timer has enough known polls */
function follow({ from, until, every, anchor, seen, tolerance }: Timer, usual: Millis): TimerPolls {
  const foretold: Millis[] = [];
  const delays: Millis[] = [];
  const [first] = seen;
  if (anchor === null && first === undefined) return { foretold, delays };
  // Without a known start, the first known poll gives the phase of the timer, also for earlier polls.
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
    if (delays.length >= ENOUGH) delay = findMedian(delays.slice(-LATEST)) ?? usual;
  }
}
