/** Reads a space's history (cloud C-27), newest first: an interrupted recording is complete for a shorter window. */

import type { DeviceCloudClient, Message } from '../client/client.js';
import { pagesOf } from '../client/requests.js';
import { isError } from '../kernel/errors.js';
import type { UnixMillis } from '../kernel/time.js';
import type { Recording } from './recording.js';
import { type ScrubOptions, scrub } from './scrub.js';

interface CollectOptions extends Pick<ScrubOptions, 'speed' | 'bodies' | 'typeOf' | 'named'> {
  readonly after: UnixMillis;
  readonly before: UnixMillis;
  /** Stops the reading. The message of the signal's reason becomes the field `cut` of the recording. */
  readonly signal: AbortSignal;
  /** Called after every page with the number of messages read so far. */
  readonly progress?: (messages: number) => void;
}

/** The largest page (cloud C-9). */
const PAGE = 100;

/** Reads all messages of the window and scrubs them. @throws ApiError, ConnectionError */
export async function collect(
  api: Pick<DeviceCloudClient, 'messages'>,
  { after, before, signal, progress, ...scrubbing }: CollectOptions,
): Promise<Recording> {
  const newestFirst: Message[] = [];
  const query = { after: new Date(after).toISOString(), before: new Date(before).toISOString(), limit: PAGE };
  const fetch = async (cursor: { readonly offset?: string }) =>
    (await raceAbort(api.messages({ ...query, ...cursor }), signal)) ?? [];
  for await (const page of pagesOf('/messages', fetch)) {
    // One by one: a page may have more items than a call may have arguments.
    for (const message of page) newestFirst.push(message);
    progress?.(newestFirst.length);
    if (signal.aborted) break;
  }
  const cut = signal.aborted ? getReason(signal) : null;
  const oldest = newestFirst.at(-1);
  const from = cut === null ? after : oldest === undefined ? before : Date.parse(oldest.created_at);
  return scrub(newestFirst.reverse(), { from, until: before, cut, ...scrubbing });
}

/** Result of `request`. Undefined if the signal comes first; the result of the request is then discarded. */
async function raceAbort<T>(request: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, stop } = listenToAbort(signal);
  try {
    return await Promise.race([promise, request]);
  } finally {
    stop();
    request.catch(() => {});
  }
}

function listenToAbort(signal: AbortSignal): { readonly promise: Promise<undefined>; readonly stop: () => void } {
  let stop = (): void => {};
  const promise = new Promise<undefined>((resolve) => {
    const aborted = () => resolve(undefined);
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted);
    stop = () => signal.removeEventListener('abort', aborted);
  });
  return { promise, stop };
}

function getReason({ reason }: AbortSignal): string {
  return isError(reason) ? reason.message : 'interrupted';
}
