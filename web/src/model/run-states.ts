/**
 * The states of the run for all tabs of the browser. Only one tab reads the stream, and passes the states on to the others, so
 * that the tabs together need one connection for it. If this tab is closed, another one reads the stream.
 */
import { linesOf } from '../api/lines.js';
import { whileShown } from '../api/shown.js';
import { Silence } from '../api/silence.js';

/** Name of the lock that the reading tab has, and of the channel to the other tabs. */
const NAME = 'ghostfleet.run-states';

/** Longest time between two states, in ms. A run sends two a second, unless its thread is busy. */
const LONGEST_SILENCE = 20_000;

/** Calls `take` for each state until the stream ends. @throws ApiError if the run rejects the request */
export async function followStates(take: (state: unknown) => void, signal: AbortSignal): Promise<void> {
  try {
    // Pages that were loaded over HTTP from another machine have no locks.
    if ('locks' in navigator) return await followTogether(take, signal);
  } catch (error) {
    // A browser that blocks site data refuses locks and channels.
    if (!(error instanceof DOMException && error.name === 'SecurityError')) throw error;
  }
  await whileShown(signal, (shown) => read(take, shown));
}

async function followTogether(take: (state: unknown) => void, signal: AbortSignal): Promise<void> {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => take(data);
  const share = (state: unknown) => {
    channel.postMessage(state);
    take(state);
  };
  try {
    await navigator.locks.request(NAME, { signal }, () => read(share, signal));
  } finally {
    channel.close();
  }
}

async function read(take: (state: unknown) => void, signal: AbortSignal): Promise<void> {
  const silent = new AbortController();
  const silence = new Silence(() => silent.abort());
  try {
    silence.expect(LONGEST_SILENCE);
    for await (const state of linesOf('/run/states', { signal: AbortSignal.any([silent.signal, signal]) })) {
      silence.expect(LONGEST_SILENCE);
      take(state);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    silence.stop();
  }
}
