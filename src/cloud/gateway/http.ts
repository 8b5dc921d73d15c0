/**
 * The device ingress: the counterpart of FLAP for devices with HTTP (cloud C-41). The ingress runs on the same server as the
 * user API and authenticates with the device's claim token.
 *
 *   POST /v2/device/{serial_number}/session   stores facts about the device, and queues the session response, as over UDP
 *   POST /v2/device/{serial_number}/uplink    stores a message; `poll` in the response is true if a downlink is pending
 *   POST /v2/device/{serial_number}/poll      offers the next downlink; polls repeat the offer until it is confirmed
 *   POST /v2/device/{serial_number}/ack       confirms a downlink
 *
 * Requests of one device are processed one after another. A repeated uplink is recognised by its `Idempotency-Key` together
 * with its content: with another key, an equal message is a new one. Without a key, application data that are encoded, or that
 * have a sequence number or a timestamp, are recognised by their content. The commit that stores the message also stores the
 * fingerprint, so every service on the store recognises a repetition, also after a crash. Requests over HTTP are not ordered
 * with datagrams: a device must not use both at a time.
 */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Clock } from '../../kernel/clock.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import { downToJson } from '../../protocol/http/downlinks.js';
import { upFromJson } from '../../protocol/http/uplinks.js';
import { encodeUp, MessageError, parseDown, type UploadCodec } from '../../protocol/messages/index.js';
import type { Trace } from '../../trace/events.js';
import { readTitle } from '../delivery/codecs.js';
import type { CloudCore } from '../delivery/core.js';
import type { DeviceSession } from '../delivery/device-session.js';
import type { AckResult } from '../delivery/offers.js';
import { ApiFault } from '../http/errors.js';
import { type Operation, operation, type Routes } from '../http/operation.js';
import { isGone } from '../store/store.js';
import { Ack, Acknowledged, DeviceParams, Headers, Offer, Session, Uplink } from './http-schemas.js';

interface HttpGatewayOptions {
  readonly core: CloudCore;
  readonly clock: Clock;
  readonly trace: Trace;
}

/** Maximum number of requests of one device that wait while another is being processed; further ones are rejected with 429. */
const LONGEST_QUEUE = 4;

const CREDENTIAL = /^claim\s+([0-9a-f]{32})\s*$/i;

interface DeviceRequests {
  readonly session: DeviceSession;
  /** Callbacks that start the waiting requests; set while a request of this device is being processed. */
  waiting: (() => void)[] | undefined;
  /** The last accepted uplink with an idempotency key: a repetition of it needs no access to the store. */
  last: { readonly fingerprint: string; readonly answer: Acknowledgement } | undefined;
}

type Acknowledgement = Static<typeof Acknowledged>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The device that sent the request to the ingress. */
    session?: DeviceSession;
  }
}

export class HttpGateway {
  readonly #core: CloudCore;
  readonly #clock: Clock;
  readonly #trace: Trace;
  /** None for a new session object, such as that of a device that was created again. */
  readonly #requests = new WeakMap<DeviceSession, DeviceRequests>();

  constructor({ core, clock, trace }: HttpGatewayOptions) {
    this.#core = core;
    this.#clock = clock;
    this.#trace = trace;
  }

  /** Adds the routes below `/v2`. */
  readonly routes = (routes: Routes): void => {
    routes.addHook('onRequest', (request, reply, done) => this.#authenticate(request, reply, done));
    const common = { tag: 'Device ingress', access: 'claim-token', params: DeviceParams } as const;

    routes.post(
      '/device/:serial_number/session',
      forDevices({
        ...common,
        id: 'startDeviceSession',
        summary: 'Start a session',
        description: 'The session response is the first downlink of the following polls.',
        headers: Headers,
        body: Session,
        response: { 200: Acknowledged },
      }),
      (request, reply) => this.#store(request, reply, { type: 'session', body: request.body }),
    );
    routes.post(
      '/device/:serial_number/uplink',
      forDevices({
        ...common,
        id: 'sendUplink',
        summary: 'Send a message',
        description: 'The response is sent when the message is durable.',
        headers: Headers,
        body: Uplink,
        response: { 200: Acknowledged },
      }),
      (request, reply) => this.#store(request, reply, request.body),
    );
    routes.post(
      '/device/:serial_number/poll',
      forDevices({
        ...common,
        id: 'pollDownlink',
        summary: 'Poll for a downlink',
        description: 'Every poll offers the same downlink until it is acknowledged.',
        response: { 200: Offer },
      }),
      (request, reply) => this.#inTurn(request, reply, (requests) => this.#offer(requests)),
    );
    routes.post(
      '/device/:serial_number/ack',
      forDevices({
        ...common,
        id: 'acknowledgeDownlink',
        summary: 'Acknowledge a downlink',
        description: 'Confirms that the device has stored the downlink. May be repeated, also on another node.',
        body: Ack,
        response: { 200: Acknowledged },
        errors: {
          404: 'The device has no downlink with this id.',
          409: 'The downlink is not confirmed: it was never offered (`not-offered`), or it has ended (`cancelled`, `expired`).',
        },
      }),
      (request, reply) =>
        this.#inTurn(request, reply, (requests) => this.#confirm(requests, request.body.id.toLowerCase())),
    );
  };

  /** Admits cached devices without a promise; nearly all devices are cached. */
  #authenticate(request: FastifyRequest, reply: FastifyReply, done: (fault?: Error) => void): void {
    // The type allows a missing number, because the parameters are not yet checked against a schema.
    const { serial_number: text = '' } = request.params as { readonly serial_number?: string };
    const serial = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    const session = this.#core.getFreshSession(serial);
    if (session) this.#admit(session, request, reply, done);
    else this.#core.load(serial).then((loaded) => this.#admit(loaded, request, reply, done), done);
  }

  /** Unknown devices and wrong tokens get the same response, so that serial numbers cannot be probed. */
  #admit(
    session: DeviceSession | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    done: (fault?: Error) => void,
  ): void {
    const digits = CREDENTIAL.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const token = Buffer.from(digits.padEnd(32, '0'), 'hex');
    const same = timingSafeEqual(token, session?.token ?? NO_TOKEN);
    if (session === undefined || digits === '' || !same) return done(unknownDevice(reply));
    session.otherwiseAt = this.#clock.now;
    request.session = session;
    done();
  }

  #store(request: FastifyRequest, reply: FastifyReply, uplink: unknown): Promise<Acknowledgement> {
    return this.#inTurn(request, reply, async (requests) => {
      const key = String(request.headers['idempotency-key'] ?? '');
      const fingerprint = key === '' ? null : contentFingerprint(JSON.stringify([key, uplink]));
      if (fingerprint !== null && requests.last?.fingerprint === fingerprint) return requests.last.answer;
      const answer = await this.#accept(requests.session, uplink, fingerprint);
      if (fingerprint !== null) requests.last = { fingerprint, answer };
      return answer;
    });
  }

  async #accept(session: DeviceSession, uplink: unknown, fingerprint: string | null): Promise<Acknowledgement> {
    try {
      const read = upFromJson(uplink);
      const encoded = read.kind === 'decoded-data' ? read : encodeUp(read);
      // Only now, because a document that fits into a message is short.
      if (read.kind === 'upload-decoder' || read.kind === 'upload-encoder') checkCodec(read);
      const received = read.kind === 'create-session' ? read : encoded;
      const accepted = await this.#core.accept(session, received, { request: fingerprint });
      if (!accepted) throw new ApiFault(400, 'the message was rejected', 'unacceptable-message');
    } catch (error) {
      if (error instanceof MessageError) throw new ApiFault(400, error.message, 'unacceptable-message');
      throw error;
    }
    return { poll: this.#core.hasWaiting(session) };
  }

  async #offer({ session }: DeviceRequests): Promise<Static<typeof Offer>> {
    this.#core.notePoll(session);
    const message = await this.#core.take(session);
    if (message === undefined || session.inFlight === undefined) return { downlink: null, more: false };
    const { row } = session.inFlight;
    const body = row.type === 'data' ? await this.#core.readBody(row) : undefined;
    return {
      downlink: downToJson(row.id, parseDown(message), body),
      more: this.#core.hasWaiting(session, { except: session.inFlight }),
    };
  }

  async #confirm({ session }: DeviceRequests, id: string): Promise<Acknowledgement> {
    const result = await this.#core.acknowledge(session, id);
    if (result === 'unknown') throw new ApiFault(404, `this device has no downlink "${id}"`, 'unknown-downlink');
    if (result !== 'sent') throw new ApiFault(409, `the downlink "${id}" ${REFUSALS[result]}`, result);
    return { poll: this.#core.hasWaiting(session) };
  }

  /** Processes the requests of a device one after another. */
  async #inTurn<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    handle: (requests: DeviceRequests) => Promise<T>,
  ): Promise<T> {
    const requests = this.#requestsOf(request.session as DeviceSession);
    if (requests.waiting === undefined) requests.waiting = [];
    else if (requests.waiting.length < LONGEST_QUEUE) await letIn(requests.waiting);
    else {
      reply.header('retry-after', '1');
      throw new ApiFault(429, 'too many concurrent requests from this device; send one at a time');
    }
    try {
      this.#core.noteContact(requests.session);
      const began = this.#clock.now;
      const result = await handle(requests);
      const at = this.#clock.now;
      const took = at - began;
      if (took > 0) this.#trace.emit({ kind: 'cloud.took', at, serial: requests.session.device.serial, took });
      return result;
    } catch (error) {
      throw isGone(error) ? unknownDevice(reply) : error;
    } finally {
      const next = requests.waiting.shift();
      if (next) next();
      else requests.waiting = undefined;
    }
  }

  #requestsOf(session: DeviceSession): DeviceRequests {
    let requests = this.#requests.get(session);
    if (requests === undefined) {
      requests = { session, waiting: undefined, last: undefined };
      this.#requests.set(session, requests);
    }
    return requests;
  }
}

function unknownDevice(reply: FastifyReply): ApiFault {
  reply.header('www-authenticate', 'Claim');
  return new ApiFault(401, 'unknown device or invalid claim token; send "Authorization: Claim <token>"');
}

/** A route without CORS headers: web pages have no claim token, and devices pay for every byte of a response. */
function forDevices<const O extends Operation>(description: O) {
  return { ...operation(description), config: { cors: false } } as const;
}

/** Resolves when the preceding requests of the device are processed. */
function letIn(waiting: (() => void)[]): Promise<void> {
  return new Promise((turn) => {
    waiting.push(turn);
  });
}

/** Reasons for the refusal of an acknowledgement. */
const REFUSALS: Readonly<Record<Exclude<AckResult, 'sent' | 'unknown'>, string>> = {
  'not-offered': 'has not been offered to this device; poll first, then acknowledge what the answer contains',
  cancelled: 'was cancelled; discard it',
  expired: 'has expired; discard it',
};

/** Stands in for the claim token of an unknown device in the comparison. */
const NO_TOKEN = new Uint8Array(16);

/** Unlike a device with datagrams, a device over HTTP learns what is wrong with its codec. @throws MessageError */
function checkCodec({ kind, document }: UploadCodec): void {
  const type = kind === 'upload-decoder' ? 'decoder' : 'encoder';
  const { problems } = readTitle(type, document);
  if (problems) throw new MessageError('malformed', `the ${type} has mistakes: ${problems.join('; ')}`);
}
