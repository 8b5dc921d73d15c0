/**
 * A generator's connection: requests are texts that are written at once, and responses are read from one buffer. ADR 11 says
 * why it is not a library's. undici opens it: names, addresses and TLS are the same as for all other requests of a run.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { LARGEST_ANSWER } from '../../client/http.js';
import { OwnLimit } from '../../kernel/own-limit.js';
import { RealClock } from '../../kernel/real-clock.js';
import { realTimers } from '../../kernel/real-timers.js';
import { retryAfter } from '../../kernel/retry-after.js';
import { codeOf, describeCode, isOfThisMachine } from '../../kernel/system-errors.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import type { Failed } from '../../transport/transport.js';
import { BadResponse, ResponseReader } from './response-reader.js';

export interface CallResult {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Code of the error, such as `ECONNREFUSED`, or why the response is not whole; empty if it is. */
  readonly why: string;
  /** Empty for a request that is `bodiless`. */
  readonly body: string;
  /** Left out if there was no response. */
  readonly headers?: IncomingHttpHeaders | undefined;
  /** Why the body cannot be read, such as its charset. Left out if it can. */
  readonly unreadable?: string | undefined;
  /** `Retry-After` of a response with an error status; 0 if there is none. */
  readonly retryAfter: Millis;
}

/** Receives the result of a request. */
export type ResultHandler = (result: CallResult) => void;

/** A request as it is written. */
export interface RequestText {
  /** In Latin-1. */
  readonly head: string;
  readonly body: string;
  /** Whether the body of the answer is read without being kept. Default: false */
  readonly bodiless?: boolean;
}

/** What becomes of an answer that is beyond a limit. */
const BY_GHOSTFLEET = 'ended by ghostfleet';

/** Longest silence of a server, in seconds. */
const PATIENCE = 30;

/** The answers of a target to all loads of a run that have begun and not ended, with their limits. */
export class OpenAnswers {
  readonly #most: number;
  readonly #longest: Millis;
  readonly #clock = new RealClock();
  #bytes = 0;

  /** @param most bytes of all open answers @param longest real time from a request to the end of its answer */
  constructor(most = 4 * LARGEST_ANSWER, longest: Millis = 4 * seconds(PATIENCE)) {
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

  /** The limit that they exceed together; undefined if there is room. */
  get excess(): OwnLimit | undefined {
    if (this.#bytes <= this.#most) return undefined;
    return new OwnLimit('open-answers', `open answers have more than ${this.#most / 1_048_576} MiB`);
  }

  /** Why an answer may not go on; undefined if it may. @param sent when its request was sent, by {@link now} */
  objection(sent: Instant): string | undefined {
    return this.now - sent > this.#longest ? `no end within ${this.#longest / 1000} s` : undefined;
  }
}

/** All connections read into the same bytes: what is read has been used before the next read. */
const READ = Buffer.allocUnsafe(65_536);

/** A connection with at most one open request. */
export class Connection {
  readonly #origin: URL;
  readonly #connect: buildConnector.connector;
  readonly #reader = new ResponseReader();
  readonly #open: OpenAnswers;
  readonly #failed: Failed;
  /** Bytes of the answer in {@link #open}. */
  #held = 0;
  #sent: Instant = 0;
  #socket: Socket | undefined;
  #request: RequestText | undefined;
  #done: ResultHandler | undefined;
  /** Seconds since something has happened. */
  #quiet = 0;
  /** After how many of them the connection ends, if no request is open. */
  #rest = 0;
  #closed = false;

  /** @param failed called for each request that this machine could not send, and each answer beyond a limit of ghostfleet */
  constructor(origin: string, open: OpenAnswers, failed: Failed = () => {}) {
    this.#origin = new URL(origin);
    this.#open = open;
    this.#failed = failed;
    const callback = (length: number) => {
      this.#read(length);
      return true;
    };
    this.#connect = buildConnector({ onread: { buffer: READ, callback }, port: 0 });
  }

  /**
   * Sends a request; the previous request must have ended.
   * @param request undefined if it cannot be written
   * @param done called once, after the return of this function. It may send the next request.
   */
  send(request: RequestText | undefined, done: ResultHandler): void {
    this.#done = done;
    this.#sent = this.#open.now;
    this.#quiet = 0;
    if (this.#closed) this.#fail('UND_ERR_DESTROYED');
    else if (request === undefined) this.#fail('UND_ERR_INVALID_ARG');
    else if (this.#socket !== undefined) this.#write(this.#socket, request);
    else this.#connectFor(request);
  }

  /** Aborts an open request. */
  close(): void {
    this.#closed = true;
    this.#fail('UND_ERR_DESTROYED');
  }

  /** Call it each second. @returns whether the connection is open */
  tick(): boolean {
    if (this.#socket === undefined) return this.#request !== undefined;
    this.#quiet++;
    if (this.#done === undefined) {
      if (this.#quiet >= this.#rest) this.#drop();
    } else if (this.#quiet > PATIENCE) {
      this.#fail(this.#reader.head === undefined ? 'UND_ERR_HEADERS_TIMEOUT' : 'UND_ERR_BODY_TIMEOUT');
    }
    return true;
  }

  #connectFor(request: RequestText): void {
    const { protocol, host, hostname, port } = this.#origin;
    this.#request = request;
    const place = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port };
    this.#connect(place, (error, socket) => {
      const waiting = this.#request;
      this.#request = undefined;
      if (error !== null) return this.#break(error);
      if (waiting === undefined) {
        socket.destroy();
        return;
      }
      this.#socket = socket;
      this.#quiet = 0;
      socket.on('error', (failure) => this.#socket === socket && this.#break(failure));
      socket.on('close', () => this.#socket === socket && this.#fail('UND_ERR_SOCKET'));
      socket.on('end', () => this.#socket === socket && this.#end());
      this.#write(socket, waiting);
    });
  }

  #write(socket: Socket, { head, body, bodiless = false }: RequestText): void {
    this.#reader.keeps = !bodiless;
    if (body === '') {
      socket.write(head, 'latin1');
      return;
    }
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }

  #read(length: number): void {
    // Bytes without a request: what follows cannot be trusted.
    if (this.#done === undefined) return this.#drop();
    try {
      if (!this.#reader.read(READ, length)) return this.#wait();
    } catch (error) {
      if (!(error instanceof BadResponse)) throw error;
      return error.limit === undefined ? this.#fail(error.code, 'malformed') : this.#giveUp(error.limit);
    }
    this.#finish();
  }

  /** The answer is not whole. */
  #wait(): void {
    // A head has to be whole in time; of a body, each part.
    if (this.#reader.head !== undefined) this.#quiet = 0;
    this.#hold(this.#reader.held);
    const { excess } = this.#open;
    if (excess !== undefined) return this.#giveUp(excess);
    const objection = this.#open.objection(this.#sent);
    if (objection !== undefined) this.#fail(objection, BY_GHOSTFLEET);
  }

  #giveUp(limit: OwnLimit): void {
    this.#failed('answer', limit);
    this.#fail(limit.message, BY_GHOSTFLEET);
  }

  #hold(bytes: number): void {
    this.#open.add(bytes - this.#held);
    this.#held = bytes;
  }

  #end(): void {
    if (this.#done !== undefined && this.#reader.end()) this.#finish();
    else this.#fail('UND_ERR_SOCKET');
  }

  #finish(): void {
    const { head, body, unreadable, stays } = this.#reader;
    const done = this.#done;
    this.#done = undefined;
    this.#reader.begin();
    this.#hold(0);
    this.#quiet = 0;
    this.#rest = stays;
    if (stays === 0) this.#drop();
    if (head === undefined) return;
    const { status, headers } = head;
    done?.({
      status,
      why: '',
      body,
      headers,
      retryAfter: status >= 400 ? (retryAfter(headers) ?? 0) : 0,
      unreadable,
    });
  }

  #drop(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  /** The system reports an error. */
  #break(error: Error): void {
    const code = codeOf(error);
    if (this.#done !== undefined && isOfThisMachine(code)) this.#failed('request', error);
    this.#fail(code);
  }

  /** @param how what became of the answer, if it has begun */
  #fail(code: string, how = 'cut off'): void {
    this.#drop();
    const done = this.#done;
    const status = this.#reader.head?.status;
    this.#done = undefined;
    this.#request = undefined;
    this.#reader.begin();
    this.#hold(0);
    if (done === undefined) return;
    const why = status === undefined ? code : `the answer was ${how} (${describeCode(code)})`;
    // In a later turn of the event loop, because `done` may send another request, which may fail inside `send` as well.
    realTimers.setImmediate(() => done({ status: status ?? 0, why, body: '', retryAfter: 0 }));
  }
}
