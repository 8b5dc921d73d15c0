/**
 * Compares predicted with recorded deliveries, by cross-validation.
 *
 * The downlinks are divided among five replays, so that neighbouring downlinks are in different replays. A replay predicts the
 * deliveries of its own downlinks, and knows those of all others. So no prediction uses the delivery that it predicts. There is
 * one exception: with the option `recorded`, the replay polls at all times of recorded polls, and some of these are known only
 * because a downlink was delivered then (script.ts).
 */
import type { Millis } from '../kernel/time.js';
import { Distribution } from '../trace/distribution.js';
import { findExchanges, type Lead } from './exchanges.js';
import { groupByDevice } from './group.js';
import type { DownlinkType, RecordedDownlink, Recording } from './recording.js';
import { makeScript, type Polls, type Script } from './script.js';

export interface Prediction {
  readonly device: string;
  /** Number of the downlink in the recording. */
  readonly n: number;
  readonly type: DownlinkType;
  /** What led to its delivery in the recording; null if it was not delivered. */
  readonly ledBy: Lead | null;
  /** When the downlink was queued. All times are in ms since the start of the recording. */
  readonly queued: Millis;
  /** When the downlink was delivered in the recording; null if that was not within the window. */
  readonly recorded: Millis | null;
  /** When the replay delivered the downlink; null if that was not within the window. */
  readonly predicted: Millis | null;
  /** Predicted minus recorded time; null when it was delivered only in the recording or only in the replay. */
  readonly error: Millis | null;
}

/** Accuracy of the predictions of a replay. */
export interface ReplayAccuracy {
  /** One for every downlink that was delivered in the recording or in the replay. */
  readonly predictions: readonly Prediction[];
  /** Absolute errors; null when no downlink was delivered in both the recording and the replay. */
  readonly errors: ErrorSpread | null;
  readonly byType: readonly (ErrorSpread & { readonly type: DownlinkType })[];
  readonly byLead: readonly (ErrorSpread & { readonly ledBy: Lead })[];
  /** Downlinks delivered in the recording only. */
  readonly missed: number;
  /** Downlinks delivered in the replay only. */
  readonly invented: number;
  /** Downlinks of the types that a replay does not queue: `timestamp`, `firmware` and `other`. */
  readonly leftOut: number;
}

/** Summary of absolute errors. */
export interface ErrorSpread {
  readonly count: number;
  readonly median: Millis;
  readonly p95: Millis;
  readonly worst: Millis;
}

const REPLAYS = 5;
const REPLAYED: ReadonlySet<DownlinkType> = new Set(['session', 'data', 'shell', 'config']);

/**
 * The scripts of all replays, each with different downlinks to predict; see {@link makeScript}. A script has only the devices of
 * these downlinks, because devices do not affect each other. Each script is made when it is needed, because it can be large.
 * @throws UsageError if the devices poll too often for a replay
 */
export function* listScripts(
  recording: Recording,
  polls: Polls = 'foretold',
  spooling?: ReadonlySet<string>,
): Generator<Script> {
  const groups = Array.from({ length: REPLAYS }, () => new Set<number>());
  [...groupByDevice(recording.downlinks.filter(isReplayed)).values()].forEach((own, i) => {
    for (const [j, { n }] of own.entries()) groups[(i + j) % REPLAYS]?.add(n);
  });
  for (const open of groups) {
    if (open.size === 0) continue;
    const script = makeScript(recording, open, polls, spooling);
    const played = new Set(script.downlinks.flatMap(({ n, device }) => (open.has(n) ? [device] : [])));
    const isPlayed = ({ device }: { readonly device: string }) => played.has(device);
    yield { ...script, devices: script.devices.filter(isPlayed), downlinks: script.downlinks.filter(isPlayed) };
  }
}

/**
 * Compares predicted with recorded deliveries.
 * @param delivered times of the predicted deliveries, by the number of the downlink
 */
export function measureAccuracy(recording: Recording, delivered: ReadonlyMap<number, Millis>): ReplayAccuracy {
  const length = recording.until - recording.from;
  const within = (at: Millis | null | undefined) => (at !== null && at !== undefined && at <= length ? at : null);
  const { ledBy: leads } = findExchanges(recording);
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
    byType: listSpreads(predictions, ({ type }) => type).map(([type, own]) => ({ type, ...own })),
    byLead: listSpreads(predictions, (prediction) => prediction.ledBy).map(([ledBy, own]) => ({ ledBy, ...own })),
    missed: predictions.filter(({ predicted }) => predicted === null).length,
    invented: predictions.filter(({ recorded }) => recorded === null).length,
    leftOut: recording.downlinks.filter((downlink) => !isReplayed(downlink)).length,
  };
}

/** Predictions with an error above `within`, or of downlinks delivered on one side only. Worst first. */
export function listBeyond({ predictions }: ReplayAccuracy, within: Millis): readonly Prediction[] {
  return sortWorstFirst(predictions).filter(({ error }) => error === null || Math.abs(error) > within);
}

/** Whether there are predictions, and all of them are within the limit. */
export function isWithin(accuracy: ReplayAccuracy, within: Millis): boolean {
  return accuracy.predictions.length > 0 && listBeyond(accuracy, within).length === 0;
}

/** Predictions by absolute error, descending; those without an error come first. */
export function sortWorstFirst(predictions: readonly Prediction[]): readonly Prediction[] {
  const size = ({ error }: Prediction) => (error === null ? Number.POSITIVE_INFINITY : Math.abs(error));
  return [...predictions].sort((a, b) => (size(a) === size(b) ? a.n - b.n : size(b) - size(a)));
}

function isReplayed({ type }: RecordedDownlink): boolean {
  return REPLAYED.has(type);
}

/** Error summary of each kind that occurs, sorted by name. */
function listSpreads<K extends string>(
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
