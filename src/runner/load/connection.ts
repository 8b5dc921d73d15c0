/** A generator's connection, on undici's lowest level: cheaper requests are more requests. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { LARGEST_ANSWER } from '../../client/http.js';
import { compressedBecause } from '../../kernel/content-coding.js';
import { RealClock } from '../../kernel/real-clock.js';
import { realTimers } from '../../kernel/real-timers.js';
import { retryAfter } from '../../kernel/retry-after.js';
import { codeOf } from '../../kernel/system-errors.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';

export interface CallResult {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Code of the error, such as `ECONNREFUSED`, or why the response is not whole; empty if it is. */
  readonly why: string;
  readonly body: string;
  /** Left out if there was no response. */
  readonly headers?: IncomingHttpHeaders | undefined;
  /** Why the body cannot be read: it is compressed. Left out if it is not. */
  readonly compressed?: string | undefined;
  /** `Retry-After` of a response with an error status; 0 if there is none. */
  readonly retryAfter: Millis;
}

/** Receives the result of a request. */
export type ResultHandler = (result: CallResult) => void;

const TIMEOUT: Millis = seconds(30);

/** The answers of a target to all loads of a run that have begun and not ended, with their limits. */
export class OpenAnswers {
  readonly #most: number;
  readonly #longest: Millis;
  readonly #clock = new RealClock();
  #bytes = 0;

  /** @param most bytes of all open answers @param longest real time from a request to the end of its answer */
  constructor(most = 4 * LARGEST_ANSWER, longest: Millis = 4 * TIMEOUT) {
    this.#most = most;
    this.#longest = longest;
  }

  /** Real time, for {@link objection}. */
  get now(): Instant {
    return this.#clock.now;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Why an answer may not go on; undefined if it may. @param sent when its request was sent, by {@link now} */
  objection(sent: Instant): string | undefined {
    if (this.#bytes > this.#most) return `open answers have more than ${this.#most / 1_048_576} MiB`;
    if (this.now - sent > this.#longest) return `no end within ${this.#longest / 1000} s`;
    return undefined;
  }
}

/** A connection with at most one open request. So this object itself can be the handler of its responses. */
export class Connection implements Dispatcher.DispatchHandler {
  readonly #client: Client;
  readonly #batch: WriteBatch;
  readonly #open: OpenAnswers;
  #socket: Socket | undefined;
  #done: ResultHandler = () => {};
  #parts: Buffer[] = [];
  #bytes = 0;
  #sent: Instant = 0;
  #status = 0;
  #headers: IncomingHttpHeaders | undefined;
  #retryAfter: Millis = 0;
  #compressed: string | undefined;

  constructor(origin: string, connect: buildConnector.connector, batch: WriteBatch, open: OpenAnswers) {
    this.#batch = batch;
    this.#open = open;
    this.#client = new Client(origin, {
      // With a limit of 2, undici accepts the next request as soon as a response is complete. With 1, the connection would
      // first become idle, which takes timers and a turn of the event loop for each request.
      pipelining: 2,
      headersTimeout: TIMEOUT,
      bodyTimeout: TIMEOUT,
      maxResponseSize: LARGEST_ANSWER,
      connect: (options, callback) =>
        connect(options, (...result) => {
          this.#socket = result[1] ?? undefined;
          callback(...result);
        }),
    });
  }

  /**
   * Sends a request; the previous request must have ended.
   * @param request needs `blocking: false`. Otherwise undici looks for another request to send when the headers of the response
   * have arrived.
   * @param done called once, after the return of this function. It may send the next request.
   */
  send(request: Dispatcher.DispatchOptions, done: ResultHandler): void {
    this.#done = done;
    this.#status = 0;
    this.#sent = this.#open.now;
    this.#client.dispatch(request, this);
  }

  /** Aborts an open request. */
  close(): Promise<void> {
    return this.#client.destroy();
  }

  // undici recognises a handler of the current interface by this method.
  onRequestStart(): void {}

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    this.#compressed = compressedBecause(headers);
    this.#retryAfter = status >= 400 ? (retryAfter(headers) ?? 0) : 0;
    // Heads such as 102 can come without an end.
    this.#limit(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    this.#open.add(part.length);
    this.#limit(controller);
  }

  onResponseEnd(): void {
    const text = Buffer.concat(this.#parts).toString();
    // The typed client and HTTP devices accept a byte-order mark as well: undici removes it.
    const body = text.startsWith('\ufeff') ? text.slice(1) : text;
    this.#drop();
    if (this.#socket !== undefined) this.#batch.hold(this.#socket);
    try {
      this.#done({
        status: this.#status,
        why: '',
        body,
        headers: this.#headers,
        retryAfter: this.#retryAfter,
        compressed: this.#compressed,
      });
    } catch (error) {
      // undici would report an error of `done` as a failure of the request.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#drop();
    const code = error instanceof Stopped ? error.message : codeOf(error);
    const isCut = this.#status >= 200;
    const [status, why] = isCut ? [this.#status, `the answer was cut off (${code})`] : [0, code];
    // undici also calls this method inside `send`, if it rejects the request. `done` is called in a later turn of the event
    // loop, because it may send another request, which undici may reject inside `send` as well.
    realTimers.setImmediate(() => this.#done({ status, why, body: '', retryAfter: 0 }));
  }

  #limit(controller: Dispatcher.DispatchController): void {
    const objection = this.#open.objection(this.#sent);
    if (objection !== undefined) controller.abort(new Stopped(objection));
  }

  #drop(): void {
    this.#parts = [];
    this.#open.add(-this.#bytes);
    this.#bytes = 0;
  }
}

/** An answer that a limit of its run has ended. */
class Stopped extends Error {}

/**
 * Collects the requests that are sent right after responses, and writes them together at the end of a turn of the event loop.
 * If each request was written at once, each would wake the service, and each wake-up costs CPU time of this process.
 */
export class WriteBatch {
  #held: Socket[] = [];

  /** Holds what is written to the socket until the end of the turn. */
  hold(socket: Socket): void {
    socket.cork();
    if (this.#held.push(socket) === 1) realTimers.setImmediate(() => this.#write());
  }

  #write(): void {
    const held = this.#held;
    this.#held = [];
    for (const socket of held) socket.uncork();
  }
}
