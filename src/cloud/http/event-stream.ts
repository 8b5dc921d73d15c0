/** A stream of server-sent events. Without a queue: `send` waits for the client, and one that is too slow is closed. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../kernel/clock.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import { endWithClient, whenOver } from './sockets.js';

/** How long a client may take to receive the events that were sent. */
const PATIENCE = seconds(10);
/** How long a client may take to receive the last event. */
const FAREWELL = seconds(5);
/** After how many milliseconds a browser connects again. */
const RETRY = 1000;

export interface Sent {
  /** Name of the event. Without a name, no event is sent: only the position of the client changes. */
  readonly event?: string | undefined;
  /** Position for `Last-Event-ID`; default: the position of the client stays unchanged. */
  readonly id?: string | undefined;
  /** A JSON value. */
  readonly data?: unknown;
}

/** An event that many streams send: bytes of {@link framed}, which they share while clients receive them. */
export interface SharedEvent {
  readonly id: string;
  readonly bytes: Buffer;
}

export class EventStream {
  readonly #raw: ServerResponse;
  readonly #clock: Clock;
  readonly #gone: Promise<void>;
  #isGone = false;
  /** Time of the clock at which something was last sent. */
  #sentAt: Instant;

  /** Begins the answer. @param clock real time, also in a simulation */
  constructor(reply: FastifyReply, clock: Clock) {
    const { raw } = reply.hijack();
    this.#raw = raw;
    this.#clock = clock;
    // Errors of a connection that breaks are ignored: the event `close` follows.
    raw.on('error', () => {});
    this.#gone = new Promise((resolve) => {
      whenOver(raw, () => {
        this.#isGone = true;
        resolve();
      });
    });
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
    endWithClient(raw);
    raw.setHeader('content-type', 'text/event-stream; charset=utf-8');
    // Proxies must pass on each event at once.
    raw.setHeader('x-accel-buffering', 'no');
    raw.writeHead(200);
    raw.write(`retry: ${RETRY}\n\n`);
    this.#sentAt = clock.now;
  }

  /** Whether nothing more can be sent. */
  get isOver(): boolean {
    return this.#isGone || this.#raw.writableEnded || this.#raw.destroyed;
  }

  /** Time since something was last sent. */
  get silence(): Millis {
    return this.#clock.now - this.#sentAt;
  }

  /** Sends an event. If the client does not receive it in time, sends `lastWords` and ends the stream. */
  async send(sent: Sent | SharedEvent, lastWords: Sent): Promise<void> {
    if (this.isOver || this.#write(sent)) return;
    const drained = new Promise<void>((resolve) => this.#raw.once('drain', () => resolve()));
    if ((await this.wait(PATIENCE, drained)) === 'time') this.end(lastWords);
  }

  #write(sent: Sent | SharedEvent): boolean {
    this.#sentAt = this.#clock.now;
    if (!('bytes' in sent)) return this.#raw.write(frame(sent));
    this.#raw.write(`id: ${sent.id}\n`);
    return this.#raw.write(sent.bytes);
  }

  /** Sends a last event and closes the connection, even if the client does not receive the event. */
  end(sent: Sent): void {
    if (this.isOver) return;
    this.#raw.end(frame(sent));
    const alarm = this.#clock.after(FAREWELL, 'the last event of a stream', () => this.#raw.destroy());
    void this.#gone.then(() => alarm.cancel());
  }

  /** Closes the connection at once. What the client has not received is dropped. */
  cut(): void {
    this.#raw.destroy();
  }

  /** Waits until the time is over, the event occurs, or the connection ends. The result names which of these came first. */
  async wait(time: Millis, event: Promise<void> = new Promise(() => {})): Promise<'time' | 'event' | 'gone'> {
    let alarm: { cancel(): void } | undefined;
    const timedOut = new Promise<'time'>((resolve) => {
      alarm = this.#clock.after(time, 'a reader of events', () => resolve('time'));
    });
    try {
      return await Promise.race([timedOut, event.then(() => 'event' as const), this.#gone.then(() => 'gone' as const)]);
    } finally {
      alarm?.cancel();
    }
  }
}

/** The bytes of an event without an id. @param data a JSON value */
export function framed(event: string, data: unknown): Buffer {
  return Buffer.from(frame({ event, data }));
}

/** The text of an event. The data are one line, because JSON text has no line breaks. */
function frame({ event, id, data }: Sent): string {
  const lines = [id !== undefined && `id: ${id}`, event !== undefined && `event: ${event}`];
  lines.push(event === undefined ? ':' : `data: ${JSON.stringify(data)}`);
  return `${lines.filter(Boolean).join('\n')}\n\n`;
}
