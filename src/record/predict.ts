/**
 * Predictions beside what happened.
 *
 * Downlinks are dealt out to a few worlds, neighbours to different ones. In its world a downlink is open: that world knows
 * nothing of when it was delivered, and of all others everything (cross-validation). So each prediction is one that could
 * have been made without its downlink, from a recording that is otherwise whole.
 */
import type { Millis } from '../kernel/time.js';
import { Distribution } from '../trace/distribution.js';
import { exchangesIn, type Lead } from './exchanges.js';
import { byDevice } from './group.js';
import type { DownlinkType, RecordedDownlink, Recording } from './recording.js';
import { type Polls, type Script, scriptOf } from './script.js';

export interface Prediction {
  readonly device: string;
  /** Number of the downlink. */
  readonly n: number;
  readonly type: DownlinkType;
  /** What led to its delivery in the recording; null: it was not delivered. */
  readonly ledBy: Lead | null;
  /** When it was queued; all three in ms since the beginning of the recording. */
  readonly queued: Millis;
  /** When it was delivered; null: not within the window. */
  readonly recorded: Millis | null;
  readonly predicted: Millis | null;
  /** Predicted after recorded; null when one of them is missing, as long as not both are. */
  readonly error: Millis | null;
}

export interface Comparison {
  /** Of every downlink that was delivered in the recording or in the replay. */
  readonly predictions: readonly Prediction[];
  /** Of the absolute errors; null when nothing was delivered in both. */
  readonly errors: ErrorSpread | null;
  readonly byType: readonly (ErrorSpread & { readonly type: DownlinkType })[];
  readonly byLead: readonly (ErrorSpread & { readonly ledBy: Lead })[];
  /** Delivered in the recording, and not in the replay. */
  readonly missed: number;
  /** Delivered in the replay, and not in the recording. */
  readonly invented: number;
  /** Downlinks that a replay cannot queue: the cloud made them for updates, or their type is unknown. */
  readonly leftOut: number;
}

export interface ErrorSpread {
  readonly count: number;
  readonly median: Millis;
  readonly p95: Millis;
  readonly worst: Millis;
}

const WORLDS = 5;
const REPLAYED: ReadonlySet<DownlinkType> = new Set(['session', 'data', 'shell', 'config']);

/** The scripts of all worlds, each with its own downlinks open. */
export function scriptsOf(recording: Recording, polls: Polls = 'foretold'): readonly Script[] {
  const worlds = Array.from({ length: WORLDS }, () => new Set<number>());
  [...byDevice(recording.downlinks.filter(isReplayed)).values()].forEach((own, i) => {
    for (const [j, { n }] of own.entries()) worlds[(i + j) % WORLDS]?.add(n);
  });
  return worlds.filter(({ size }) => size > 0).map((open) => scriptOf(recording, open, polls));
}

/** @param delivered by number: when the world in which it was open delivered a downlink */
export function compare(recording: Recording, delivered: ReadonlyMap<number, Millis>): Comparison {
  const length = recording.until - recording.from;
  const within = (at: Millis | null | undefined) => (at !== null && at !== undefined && at <= length ? at : null);
  const { ledBy: leads } = exchangesIn(recording);
  const predictions = recording.downlinks.filter(isReplayed).flatMap((downlink): Prediction[] => {
    const { device, n, type, at: queued, state, ended } = downlink;
    const recorded = state === 'sent' ? within(ended) : null;
    const predicted = within(delivered.get(n));
    if (recorded === null && predicted === null) return [];
    const error = recorded === null || predicted === null ? null : predicted - recorded;
    return [{ device, n, type, ledBy: leads.get(n) ?? null, queued, recorded, predicted, error }];
  });
  return {
    predictions,
    errors: spread(predictions),
    byType: spreads(predictions, ({ type }) => type).map(([type, own]) => ({ type, ...own })),
    byLead: spreads(predictions, (prediction) => prediction.ledBy).map(([ledBy, own]) => ({ ledBy, ...own })),
    missed: predictions.filter(({ predicted }) => predicted === null).length,
    invented: predictions.filter(({ recorded }) => recorded === null).length,
    leftOut: recording.downlinks.filter((downlink) => !isReplayed(downlink)).length,
  };
}

/** Those that are further off than `within`, and those that were delivered in one of both only. Worst first. */
export function beyond({ predictions }: Comparison, within: Millis): readonly Prediction[] {
  return worstFirst(predictions).filter(({ error }) => error === null || Math.abs(error) > within);
}

/** Whether there are predictions, and all of them are good enough. */
export function isWithin(comparison: Comparison, within: Millis): boolean {
  return comparison.predictions.length > 0 && beyond(comparison, within).length === 0;
}

/** Those without an error are the worst. */
export function worstFirst(predictions: readonly Prediction[]): readonly Prediction[] {
  const size = ({ error }: Prediction) => (error === null ? Number.POSITIVE_INFINITY : Math.abs(error));
  return [...predictions].sort((a, b) => (size(a) === size(b) ? a.n - b.n : size(b) - size(a)));
}

function isReplayed({ type }: RecordedDownlink): boolean {
  return REPLAYED.has(type);
}

/** One for each kind that has any, in the order of their names. */
function spreads<K extends string>(
  predictions: readonly Prediction[],
  kindOf: (prediction: Prediction) => K | null,
): readonly (readonly [K, ErrorSpread])[] {
  const kinds = [...new Set(predictions.map(kindOf))].filter((kind) => kind !== null).sort();
  return kinds.flatMap((kind) => {
    const own = spread(predictions.filter((prediction) => kindOf(prediction) === kind));
    return own === null ? [] : [[kind, own] as const];
  });
}

function spread(predictions: readonly Prediction[]): ErrorSpread | null {
  const errors = new Distribution();
  for (const { error } of predictions) if (error !== null) errors.record(Math.abs(error));
  const found = errors.spread();
  return found ? { count: found.count, median: found.p50, p95: found.p95, worst: found.max } : null;
}
