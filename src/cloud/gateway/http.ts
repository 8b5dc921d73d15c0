/**
 * The device ingress: what FLAP is over UDP, for devices that have HTTP (cloud API gaps, 5.5). It stands beside the user API
 * on the same server, and opens with the device's claim token.
 *
 *   POST /v2/device/{serial_number}/session   facts about the device; the answer waits in the queue, as over UDP
 *   POST /v2/device/{serial_number}/uplink    a message; `poll` in the answer: a downlink waits
 *   POST /v2/device/{serial_number}/poll      offers the first downlink of the queue
 *   POST /v2/device/{serial_number}/ack       confirms it; until then the same one is offered at every poll
 *
 * Requests of one device are handled one after another. A repeated uplink is recognised by its `Idempotency-Key`; without
 * one, only application data are, by their content. A device speaks through one gateway at a time.
 */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Clock } from '../../kernel/clock.js';
import { downToJson } from '../../protocol/http/downlinks.js';
import { upFromJson } from '../../protocol/http/uplinks.js';
import { encodeUp, MessageError, parseDown } from '../../protocol/messages.js';
import type { Trace } from '../../trace/events.js';
import { ApiFault } from '../api/errors.js';
import type { Routes } from '../api/family.js';
import { operation } from '../api/operation.js';
import type { CloudCore } from '../core/core.js';
import type { Peer } from '../core/peer.js';
import { Ack, Acknowledged, DeviceParams, Headers, Offer, Session, Uplink } from './http-schemas.js';

export interface HttpGatewayOptions {
  readonly core: CloudCore;
  readonly clock: Clock;
  readonly trace: Trace;
}

/** Requests of one device that wait while another of it is worked on; more are turned away. */
const LONGEST_QUEUE = 4;

/** What the gateway remembers of a device. */
interface Line {
  readonly peer: Peer;
  /** Ends when the last request that was let in has been handled. */
  tail: Promise<unknown>;
  waiting: number;
  /** The last uplink that was accepted under a key. */
  last: { readonly key: string; readonly answer: Acknowledgement } | undefined;
}

type Acknowledgement = Static<typeof Acknowledged>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The device that sent the request to the ingress. */
    peer?: Peer;
  }
}

export class HttpGateway {
  readonly #core: CloudCore;
  readonly #clock: Clock;
  readonly #trace: Trace;
  readonly #lines = new Map<number, Line>();

  constructor({ core, clock, trace }: HttpGatewayOptions) {
    this.#core = core;
    this.#clock = clock;
    this.#trace = trace;
  }

  /** Adds the routes, below `/v2`. */
  readonly routes = (routes: Routes): void => {
    routes.addHook('onRequest', (request, reply) => this.#authenticate(request, reply));
    const common = { tag: 'Device ingress', access: 'claim-token', params: DeviceParams } as const;

    routes.post(
      '/device/:serial_number/session',
      operation({
        ...common,
        summary: 'Begin a session',
        description: 'The session answer is the first downlink that is offered from then on.',
        headers: Headers,
        body: Session,
        response: { 200: Acknowledged },
      }),
      (request, reply) => this.#store(request, reply, { type: 'session', body: request.body }),
    );
    routes.post(
      '/device/:serial_number/uplink',
      operation({
        ...common,
        summary: 'Send a message',
        description: 'Answered when the message is stored for good.',
        headers: Headers,
        body: Uplink,
        response: { 200: Acknowledged },
      }),
      (request, reply) => this.#store(request, reply, request.body),
    );
    routes.post(
      '/device/:serial_number/poll',
      operation({
        ...common,
        summary: 'Ask for a downlink',
        description: 'The same one is offered again until it is acknowledged.',
        response: { 200: Offer },
      }),
      (request, reply) => this.#inTurn(request, reply, (line) => this.#offer(line)),
    );
    routes.post(
      '/device/:serial_number/ack',
      operation({
        ...common,
        summary: 'Acknowledge a downlink',
        description: 'The device has it, and can not lose it any more. May be repeated.',
        body: Ack,
        response: { 200: Acknowledged },
      }),
      (request, reply) => this.#inTurn(request, reply, (line) => this.#confirm(line, request.body.id.toLowerCase())),
    );
  };

  /** An unknown device and a wrong token must not be told apart. */
  async #authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Because the parameters have been checked against no schema yet.
    const { serial_number: text = '' } = request.params as { readonly serial_number?: string };
    const serial = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    const digits = /^claim\s+([0-9a-f]{32})\s*$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const peer = this.#core.known(serial) ?? (await this.#core.load(serial));
    const token = Buffer.from(digits.padEnd(32, '0'), 'hex');
    const same = timingSafeEqual(token, peer?.token ?? NO_TOKEN);
    if (peer === undefined || digits === '' || !same) {
      reply.header('www-authenticate', 'Claim');
      throw new ApiFault(401, 'no such device, or not its claim token: send it as "Authorization: Claim <token>"');
    }
    request.peer = peer;
  }

  #store(request: FastifyRequest, reply: FastifyReply, uplink: unknown): Promise<Acknowledgement> {
    return this.#inTurn(request, reply, async (line) => {
      const key = String(request.headers['idempotency-key'] ?? '');
      if (key !== '' && line.last?.key === key) return line.last.answer;
      const answer = await this.#accept(line.peer, uplink);
      if (key !== '') line.last = { key, answer };
      return answer;
    });
  }

  async #accept(peer: Peer, uplink: unknown): Promise<Acknowledgement> {
    try {
      const message = upFromJson(uplink);
      const accepted = await this.#core.accept(peer, message.kind === 'decoded-data' ? message : encodeUp(message));
      if (!accepted) throw new ApiFault(400, 'the message is not acceptable', 'unacceptable-message');
    } catch (error) {
      if (error instanceof MessageError) throw new ApiFault(400, error.message, 'unacceptable-message');
      throw error;
    }
    return { poll: this.#core.waits(peer) };
  }

  async #offer({ peer }: Line): Promise<Static<typeof Offer>> {
    const message = await this.#core.take(peer);
    if (message === undefined || peer.inFlight === undefined) return { downlink: null, more: false };
    const { id, body } = peer.inFlight.row;
    return { downlink: downToJson(id, parseDown(message), body), more: this.#core.waits(peer, peer.inFlight) };
  }

  async #confirm({ peer }: Line, id: string): Promise<Acknowledgement> {
    const entry = peer.queue.find((candidate) => candidate.row.id === id);
    // What is not waiting any more was confirmed before, or taken back: either way there is nothing left to do.
    if (entry !== undefined && entry.attempt > 0) await this.#core.confirm(peer, 'final-ack', entry);
    return { poll: this.#core.waits(peer) };
  }

  /** Lets the requests of a device in, one after another. */
  async #inTurn<T>(request: FastifyRequest, reply: FastifyReply, handle: (line: Line) => Promise<T>): Promise<T> {
    const line = this.#lineOf(request.peer as Peer);
    if (line.waiting > LONGEST_QUEUE) {
      reply.header('retry-after', '1');
      throw new ApiFault(429, 'too many requests of this device at once: one after another, please');
    }
    line.waiting++;
    const turn = line.tail.then(() => {
      this.#core.contact(line.peer);
      return this.#timed(line.peer, handle(line));
    });
    line.tail = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      line.waiting--;
    }
  }

  async #timed<T>(peer: Peer, work: Promise<T>): Promise<T> {
    const began = this.#clock.now;
    const result = await work;
    const took = this.#clock.now - began;
    if (took > 0) this.#trace.emit({ kind: 'cloud.took', at: this.#clock.now, serial: peer.device.serial, took });
    return result;
  }

  /** A new record of the device starts afresh. */
  #lineOf(peer: Peer): Line {
    const { serial } = peer.device;
    let line = this.#lines.get(serial);
    if (line === undefined || line.peer !== peer) {
      line = { peer, tail: Promise.resolve(), waiting: 0, last: undefined };
      this.#lines.set(serial, line);
    }
    return line;
  }
}

/** What the token of an unknown device is compared with. */
const NO_TOKEN = new Uint8Array(16);
