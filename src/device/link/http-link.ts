/**
 * The device's end of HTTP (cloud C-41), on a radio link. Messages travel as JSON in requests and responses, and the time
 * limits are those of the firmware. Without a successful response, the request is repeated with the same key.
 *
 * The device acknowledges a downlink before it executes it. Unlike over FLAP, the acknowledgement has a response, and is
 * repeated until the response arrives. If no response arrives, the device executes the downlink anyway, and recognises it by
 * its id when the cloud offers it again. If the cloud refuses the acknowledgement, because the downlink has been cancelled
 * meanwhile, the device discards the downlink.
 */
import { foreignJson } from '../../kernel/json-text.js';
import type { TransferProgress } from '../../protocol/flap/device-transfer.js';
import { type Datagram, datagramBytes, FRAGMENT_SIZE, type FragmentSizes } from '../../protocol/flap/envelope.js';
import { downFromJson } from '../../protocol/http/downlinks.js';
import { JsonFields } from '../../protocol/http/fields.js';
import { decodeResponse, encodeRequest, type RequestKind } from '../../protocol/http/frames.js';
import { upToJson } from '../../protocol/http/uplinks.js';
import { encodeDown, MessageError, parseUp } from '../../protocol/messages/index.js';
import type { DeviceEnd, Dialogue, End, SendStep } from './radio-link.js';

/** A downlink that was fetched and not yet acknowledged. */
interface Fetched {
  readonly id: string;
  readonly message: Uint8Array;
}

export class HttpDialogue implements Dialogue {
  /** The sources of these devices are not public. */
  readonly longestAnswer = Number.POSITIVE_INFINITY;
  readonly #device: DeviceEnd;
  #requestKind: RequestKind = 'poll';
  #requests = 0;
  #key = '';
  /**
   * The keys of data messages whose requests have not been answered, by their bytes, oldest first. The firmware sends the same
   * bytes again, also minutes later and after newer messages.
   */
  readonly #unanswered = new Map<string, string>();
  #fetched: Fetched | undefined;
  /** Id of the last downlink that was executed. */
  #used = '';
  /** Whether the cloud has confirmed the acknowledgement of that downlink. */
  #confirmed = false;

  constructor(device: DeviceEnd) {
    this.#device = device;
  }

  /** The counters of a device treat its messages over HTTP as base64 packets. */
  get fragments(): FragmentSizes {
    return FRAGMENT_SIZE.base64;
  }

  /** A message is one request. */
  get progress(): TransferProgress | undefined {
    if (this.#requestKind === 'ack') return undefined;
    return this.#requestKind === 'poll' ? { kind: 'poll', fragments: 0 } : { kind: 'uplink', fragment: 1, of: 1 };
  }

  startUplink(message: Uint8Array): SendStep {
    const uplink = upToJson(parseUp(message));
    if (uplink.type === 'session') return this.#request('session', uplink.body);
    if (uplink.type !== 'data') return this.#request('uplink', uplink);
    return this.#request('uplink', uplink, this.#keyOf(message));
  }

  startPoll(): SendStep {
    return this.#request('poll', {});
  }

  answered(datagram: Datagram): SendStep | End | undefined {
    const response = decodeResponse(datagramBytes(datagram));
    if (response?.key !== this.#key) return undefined;
    if (this.#requestKind === 'ack' && REFUSALS.has(response.status)) {
      this.#forget();
      return POLLED_NOTHING;
    }
    if (response.status < 200 || response.status > 299) return undefined;
    try {
      return this.#succeeded(new JsonFields(foreignJson(response.body), 'the answer'));
    } catch (error) {
      if (error instanceof MessageError) return this.fail('unreadable answer');
      throw error;
    }
  }

  /** A request does not depend on earlier ones, so the same one is sent again. */
  startOver(): undefined {}

  fail(why: string): End {
    const fetched = this.#fetched;
    this.#forget();
    return fetched ? this.#use(fetched, { more: false, confirmed: false }) : { kind: 'failed', why };
  }

  reset(): void {
    this.#forget();
    this.#used = '';
  }

  #succeeded(answer: JsonFields): SendStep | End {
    if (this.#requestKind === 'poll') return this.#polled(answer);
    for (const [bytes, key] of this.#unanswered) if (key === this.#key) this.#unanswered.delete(bytes);
    const poll = answer.bool('poll') ?? false;
    const fetched = this.#fetched;
    this.#forget();
    return fetched ? this.#use(fetched, { more: poll, confirmed: true }) : { kind: 'uplink-done', poll };
  }

  #polled(answer: JsonFields): SendStep | End {
    const downlink = answer.plain('downlink');
    if (downlink === undefined) {
      this.#forget();
      return POLLED_NOTHING;
    }
    const { id, message } = downFromJson(downlink);
    const bytes = encodeDown(message);
    if (bytes.length > this.#device.bufferSize) return this.fail('message longer than the buffer');
    this.#fetched = { id, message: bytes };
    return this.#request('ack', { id });
  }

  #use({ id, message }: Fetched, { more, confirmed }: { readonly more: boolean; readonly confirmed: boolean }): End {
    const again = id === this.#used;
    if (again && this.#confirmed) this.#device.observer.offeredAgain(message);
    this.#used = id;
    this.#confirmed = confirmed;
    return { kind: 'poll-done', message: again ? NOTHING : message, more, farewell: undefined };
  }

  #request(kind: RequestKind, body: unknown, key = this.#newKey()): SendStep {
    this.#requestKind = kind;
    this.#key = key;
    const request = { kind, key, token: this.#device.token, body: JSON.stringify(body) };
    return { kind: 'send', datagram: encodeRequest(request) };
  }

  /** The key of a data message: the one that it had before, if that request has not been answered. */
  #keyOf(message: Uint8Array): string {
    const bytes = Buffer.from(message).toString('latin1');
    const key = this.#unanswered.get(bytes) ?? this.#newKey();
    this.#unanswered.delete(bytes);
    this.#unanswered.set(bytes, key);
    const [oldest] = this.#unanswered.keys();
    if (oldest !== undefined && this.#unanswered.size > MOST_UNANSWERED) this.#unanswered.delete(oldest);
    return key;
  }

  /** The counter starts at 0 in each run. The time keeps a key different from those of earlier runs with the same device. */
  #newKey(): string {
    return `${this.#device.clock.wall}-${++this.#requests}`;
  }

  #forget(): void {
    this.#key = '';
    this.#fetched = undefined;
  }
}

/** As many messages as wait in flash at most (`spool-size`), and a new one. The firmware does not send others again. */
const MOST_UNANSWERED = 101;
const NOTHING = new Uint8Array(0);
const POLLED_NOTHING: End = { kind: 'poll-done', message: NOTHING, more: false, farewell: undefined };
/** Status codes of a refused acknowledgement. */
const REFUSALS: ReadonlySet<number> = new Set([404, 409]);
