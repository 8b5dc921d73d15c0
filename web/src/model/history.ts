/** The history of the space: the figures that the service has kept since its start, read again every few seconds. */
import { signal } from '@preact/signals';
import { ApiError, type DeviceCloudClient } from '../../../src/client/client.js';
import type { History } from '../../../src/client/types.js';
import { isOver } from '../api/answering.js';
import { whileShown } from '../api/shown.js';

export type FigureName = keyof History['figures'];

/** Pause between two requests, in ms. */
const EVERY = 4_000;

/** Undefined before the first answer, and for a user who may not see the whole space. */
export const history = signal<History | undefined>(undefined);

/** Follows the history until `ended` or the end of the run, while the tab is shown. */
export function followHistory(client: Pick<DeviceCloudClient, 'history'>, ended: AbortSignal): Promise<void> {
  return whileShown(ended, async (shown) => {
    while (!shown.aborted && !isOver.peek()) {
      // A failure leaves the earlier values: other requests show that the service does not answer.
      const answer = await client.history().catch((error: unknown) => (isMissing(error) ? null : undefined));
      // Another cloud than ghostfleet's need not keep a history.
      if (shown.aborted || answer === null) break;
      if (answer) history.value = answer;
      await pause(EVERY, shown);
    }
    if (ended.aborted) history.value = undefined;
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

/** A figure for a chart: a value for each bucket. */
export interface Curve {
  readonly times: readonly number[];
  readonly min: readonly (number | null)[];
  readonly mean: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

/**
 * The buckets of a figure, at most as far back as `length` before its end.
 * @param length in ms; default: all
 */
export function curveOf(
  { from, starts, figures }: History,
  name: FigureName,
  length = Number.POSITIVE_INFINITY,
): Curve {
  const { min, mean, max } = figures[name];
  const begin = Date.parse(from);
  const times = starts.map((start) => begin + start * 1000);
  const end = times.at(-1) ?? 0;
  const first = Math.max(
    0,
    times.findIndex((time) => time > end - length),
  );
  return {
    times: times.slice(first),
    ...{ min: min.slice(first), mean: mean.slice(first), max: max.slice(first) },
  };
}

/** The present value of a figure; undefined without one, such as the time of deliveries if there were none in the last hour. */
export function latest({ figures }: History, name: FigureName): number | undefined {
  return figures[name].mean.at(-1) ?? undefined;
}
