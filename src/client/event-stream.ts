/** Follows the events of a space over connections that may break: each new connection resumes after the last event. */

import { RealClock } from '../kernel/real-clock.js';
import { type Millis, seconds } from '../kernel/time.js';
import { ApiError, ConnectionError } from './errors.js';
import { answerIn, type Query } from './http.js';
import type { EventQuery, SpaceEvent } from './types.js';

/** Opens a stream and yields its text in pieces. */
export type OpenStream = (query: Query, lastId: string | undefined, signal: AbortSignal) => AsyncGenerator<string>;

/** Shortest and longest wait between two attempts to connect. */
const FIRST_WAIT = seconds(1);
const LONGEST_WAIT = seconds(30);

/** Longest event, in characters. A body of a message has at most a megabyte. */
const LONGEST_EVENT = 4 * 1_048_576;

/** One event as it arrives. */
interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/**
 * Yields the events of a space until the caller leaves its loop or aborts `signal`.
 * @throws ApiError if the service rejects the request, or ends the stream because the credential has become invalid
 * @throws ConnectionError if the first connection fails
 */
export async function* followEvents(
  open: OpenStream,
  { after, signal, onOpen = () => {}, ...query }: EventQuery,
): AsyncGenerator<SpaceEvent> {
  const clock = new RealClock();
  // Ends the connection. Aborted with `signal`, and when the caller leaves its loop.
  const ended = new AbortController();
  const stop = () => ended.abort();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const follower = new Follower((lastId) => open({ ...query }, lastId, ended.signal), after, onOpen);
  try {
    while (!ended.signal.aborted) {
      try {
        yield* follower.untilBroken();
      } catch (error) {
        if (ended.signal.aborted) return;
        if (!follower.isPassing(error)) throw error;
      }
      await pause(clock, follower.nextWait(), ended.signal);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

/** Follows the events, and keeps the position in them across connections. */
class Follower {
  readonly #open: (lastId: string | undefined) => AsyncGenerator<string>;
  readonly #onOpen: (resumed: boolean) => void;
  #lastId: string | undefined;
  #wait: Millis = FIRST_WAIT;
  #wasConnected = false;

  constructor(
    open: (lastId: string | undefined) => AsyncGenerator<string>,
    after: string | undefined,
    onOpen: (resumed: boolean) => void,
  ) {
    this.#open = open;
    this.#lastId = after;
    this.#onOpen = onOpen;
  }

  /** The events of one connection. */
  async *untilBroken(): AsyncGenerator<SpaceEvent> {
    for await (const { id, event, data } of frames(this.#open(this.#lastId))) {
      this.#lastId = id ?? this.#lastId;
      if (event === undefined || data === undefined) continue;
      const value = dataIn(data, event);
      if (event === 'hello') {
        this.#wasConnected = true;
        this.#wait = FIRST_WAIT;
        this.#onOpen(value.resumed === true);
      } else if (event === 'end') needValidCredential(value);
      // The cast is safe because the service sends each event with the data of this type.
      else if (event !== 'slow') yield { id: this.#lastId ?? '', event, data: value } as unknown as SpaceEvent;
    }
  }

  /** Whether to connect again after an error: only if a connection existed before, and a later attempt may succeed. */
  isPassing(error: unknown): boolean {
    const isPassing = error instanceof ApiError ? error.status === 429 || error.status >= 500 : true;
    return this.#wasConnected && isPassing && (error instanceof ApiError || error instanceof ConnectionError);
  }

  nextWait(): Millis {
    const wait = this.#wait;
    this.#wait = Math.min(wait * 2, LONGEST_WAIT);
    return wait;
  }
}

type EventData = Readonly<Record<string, unknown>>;

/** @throws ApiError if the data of an event is not a JSON object, or nested too deep */
function dataIn(text: string, event: string): EventData {
  const value = answerIn(text);
  if (typeof value === 'object' && value !== null) return value as EventData;
  throw new ApiError(200, `the data of the event "${event}" is not a JSON object`, 'GET', 'events');
}

/** @throws ApiError 401 if the service has ended the stream because of the credential */
function needValidCredential(ending: EventData): void {
  if (ending.reason === 'credential') throw new ApiError(401, ending, 'GET', 'events');
}

function pause(clock: RealClock, time: Millis, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const alarm = clock.after(time, 'the next connection', done);
    function done(): void {
      alarm.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

/** The events in a text that arrives in pieces (HTML Living Standard, 9.2.6). An unfinished event at the end is dropped. */
async function* frames(pieces: AsyncGenerator<string>): AsyncGenerator<Frame> {
  let fields: Record<string, string> = {};
  /** Beginning of a line. It only grows until its end arrives: to look through it for each piece would take too long. */
  let line = '';
  /** Characters of the event so far, without the unfinished line. */
  let length = 0;
  let wasReturn = false;
  for await (const piece of pieces) {
    if (piece === '') continue;
    const [first = '', ...others] = (wasReturn && piece[0] === '\n' ? piece.slice(1) : piece).split(/\r\n|\r|\n/);
    wasReturn = piece.endsWith('\r');
    line += first;
    for (const next of others) {
      if (line === '') {
        yield fields;
        fields = {};
        length = 0;
      } else addField(fields, line);
      length += line.length;
      line = next;
      needRoom(length);
    }
    needRoom(length + line.length);
  }
}

/** @throws ApiError if an event has more characters than it may have */
function needRoom(length: number): void {
  if (length > LONGEST_EVENT) throw new ApiError(200, 'an event of the stream never ends', 'GET', 'events');
}

function addField(fields: Record<string, string>, line: string): void {
  const [, name = '', value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
  if (name === 'data' && fields.data !== undefined) fields.data += `\n${value}`;
  else if (name !== '') fields[name] = value;
}
