/**
 * The causes of the waits of delivered downlinks, and the histogram of their times. In a run, explanations name the causes:
 * faults, other downlinks, the next report. Without a run, only the stations of each downlink are known: the entries of its
 * timeline in the cloud, such as `contact` and `sent`.
 */
import type { Message, TimelineEntry } from '../../../src/client/types.js';
import { printableLine } from '../../../src/kernel/printable.js';

/** A part of the time from queued to sent. */
export interface Wait {
  /** `next report or poll` */
  readonly what: string;
  /** In ms. */
  readonly time: number;
}

/** Name for waiting time without a known cause. */
export const UNKNOWN = 'unknown';
/** Name for the time of downlinks whose causes are still being read. */
export const NOT_READ = 'not computed yet';
/** Name for the time of downlinks whose causes are not read, because there are too many. */
const NOT_DIVIDED = 'not divided';
/** These names are always shown by themselves, and have no colour. */
const UNNAMED = [UNKNOWN, NOT_READ, NOT_DIVIDED];

/**
 * The waits of a downlink as far as the cloud knows them. Each station of the timeline begins a wait that ends at the next
 * station.
 * @param others downlinks of the space
 */
export function waitsIn(
  message: Message,
  entries: readonly TimelineEntry[],
  others: readonly Message[],
): readonly Wait[] {
  const until = Date.parse(message.down_state_at ?? '');
  const before = Math.max(
    0,
    ...others
      .filter(({ device_id, id, down_state }) => {
        return device_id === message.device_id && id < message.id && down_state === 'sent';
      })
      .map(({ down_state_at }) => Date.parse(down_state_at ?? '')),
  );
  const times = new Map<string, number>();
  const charge = (what: string, time: number) => time > 0 && times.set(what, (times.get(what) ?? 0) + time);
  entries.forEach(({ at, what, detail }, i) => {
    const from = Date.parse(at);
    const to = Math.min(until, Date.parse(entries[i + 1]?.at ?? message.down_state_at ?? ''));
    const isRepeated = what === 'offered' && entries[i + 1]?.what === 'offered';
    if (what === 'queued') charge('next contact of the device', to - from);
    else if (what === 'waiting') charge(`the cloud: ${printableLine(detail ?? UNKNOWN)}`, to - from);
    else if (isRepeated) charge('confirmation of the device', to - from);
    else {
      const behind = what === 'contact' ? Math.max(0, Math.min(to, before) - from) : 0;
      charge('earlier downlinks of the device', behind);
      charge('exchange', to - from - behind);
    }
  });
  return [...times].map(([what, time]) => ({ what, time }));
}

/** Upper limits of the bars of the histogram, in ms, with their names. */
export const TIMES = [
  [1_000, '≤ 1s'],
  [10_000, '≤ 10s'],
  [60_000, '≤ 1m'],
  [300_000, '≤ 5m'],
  [900_000, '≤ 15m'],
  [3_600_000, '≤ 1h'],
  [21_600_000, '≤ 6h'],
  [86_400_000, '≤ 1d'],
  [Number.POSITIVE_INFINITY, 'longer'],
] as const;

/**
 * Number of colours for causes. Further causes are shown together as {@link OTHERS}, unless there is only one; this one has no
 * colour of its own.
 */
export const MOST_CAUSES = 6;
/** Name of the causes beyond {@link MOST_CAUSES}. */
export const OTHERS = 'other causes';

export interface Cause {
  readonly what: string;
  /** Share of the total time of all delivered downlinks, 0 to 1. */
  readonly share: number;
}

export interface Bar {
  /** Name of the bar: `≤ 1m` is for times up to a minute that are above the limit of the bar before. */
  readonly upTo: string;
  /** Number of downlinks. */
  readonly count: number;
  /** The count by cause, in the order of the causes: each downlink counts as 1, divided in proportion to its waits. */
  readonly parts: readonly number[];
}

export interface Histogram {
  /** The causes, those with the longest times first. */
  readonly causes: readonly Cause[];
  readonly bars: readonly Bar[];
}

/**
 * The histogram of delivered downlinks by the time from queued to sent, divided by the causes of their waits.
 * @param messages newest first @param mostRead number of messages whose causes are read
 */
export function histogramOf(
  messages: readonly Message[],
  journeys: ReadonlyMap<string, { readonly waits: readonly Wait[] }>,
  mostRead = Number.POSITIVE_INFINITY,
): Histogram {
  const delivered = messages.flatMap((message, n) => {
    const time = deliveryTime(message);
    if (time === undefined) return [];
    const known = journeys.get(message.id)?.waits;
    return [{ time, shares: known ? sharesOf(known, time) : [[n < mostRead ? NOT_READ : NOT_DIVIDED, 1] as const] }];
  });
  const totals = new Map<string, number>();
  for (const { time, shares } of delivered) {
    for (const [what, share] of shares) totals.set(what, (totals.get(what) ?? 0) + share * time);
  }
  const ranked = [...totals].sort(([a, x], [b, y]) => rank(a) - rank(b) || y - x);
  const known = ranked.filter(([what]) => !UNNAMED.includes(what));
  const unnamed = ranked.slice(known.length);
  const named = known.length > MOST_CAUSES + 1 ? known.slice(0, MOST_CAUSES) : known;
  const rest = known.slice(named.length).reduce((sum, [, time]) => sum + time, 0);
  const all = ranked.reduce((sum, [, time]) => sum + time, 0);
  const others = known.length > named.length ? [[OTHERS, rest] as const] : [];
  const causes = [...named, ...others, ...unnamed].map(([what, time]) => {
    return { what, share: all === 0 ? 0 : time / all };
  });
  const place = new Map(causes.map(({ what }, i) => [what, i]));
  const bars = TIMES.map(([limit, upTo], i) => {
    const least = TIMES[i - 1]?.[0] ?? -1;
    const within = delivered.filter(({ time }) => time > least && time <= limit);
    const parts = causes.map(() => 0);
    for (const { shares } of within) {
      for (const [what, share] of shares) {
        const at = place.get(what) ?? named.length;
        parts[at] = (parts[at] ?? 0) + share;
      }
    }
    return { upTo, count: within.length, parts };
  });
  return { causes, bars };
}

/**
 * Colours of causes, as numbers below {@link MOST_CAUSES}. A cause without an entry has the colour of the rest.
 * @param causes the shown causes, in their order
 * @param before the earlier colours; causes keep them when their order changes
 */
export function coloursOf(causes: readonly Cause[], before: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const named = causes.map(({ what }) => what).filter((what) => ![...UNNAMED, OTHERS].includes(what));
  const coloured = named.slice(0, MOST_CAUSES);
  const kept = new Set(coloured.flatMap((what) => before.get(what) ?? []));
  const free = Array.from({ length: MOST_CAUSES }, (_, colour) => colour).filter((colour) => !kept.has(colour));
  return new Map(coloured.map((what) => [what, before.get(what) ?? (free.shift() as number)]));
}

/** Time from queued to sent in ms; undefined if the downlink was not delivered. */
export function deliveryTime({ down_state, down_state_at, created_at }: Message): number | undefined {
  return down_state === 'sent' && down_state_at !== null
    ? Math.max(0, Date.parse(down_state_at) - Date.parse(created_at))
    : undefined;
}

/** The waits as shares of 1. */
function sharesOf(waits: readonly Wait[], time: number): readonly (readonly [string, number])[] {
  const sum = waits.reduce((all, wait) => all + wait.time, 0);
  if (sum > 0) return waits.map((wait) => [wait.what, wait.time / sum]);
  return [[waits.length > 0 || time === 0 ? 'exchange' : UNKNOWN, 1]];
}

/** Sort key: unknown causes come last. */
function rank(what: string): number {
  return UNNAMED.indexOf(what) + 1;
}
