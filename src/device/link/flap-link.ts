/** FLAP over datagrams: the transfer state machine at the device's end (wire protocol, 4.4 and 5.4), on a radio link. */
import { type DeviceStep, DeviceTransfer } from '../../protocol/flap/device-transfer.js';
import { type EnvelopeFormat, FRAGMENT_SIZE, hasValidTag, open, seal } from '../../protocol/flap/envelope.js';
import type { Packet } from '../../protocol/flap/packet.js';
import { type Dialogue, type End, RadioLink, type RadioLinkEnvironment, type SendStep } from './radio-link.js';

export type { DatagramPort } from './radio-link.js';

export interface FlapLinkEnvironment extends RadioLinkEnvironment {
  readonly serial: number;
  /** Claim token, 16 bytes. */
  readonly token: Uint8Array;
  readonly format: EnvelopeFormat;
  /** Longest downlink message in bytes. */
  readonly bufferSize: number;
}

export class FlapLink extends RadioLink {
  constructor(env: FlapLinkEnvironment) {
    super(env, new FlapDialogue(env));
  }
}

/** Packets in envelopes. */
class FlapDialogue implements Dialogue {
  readonly #env: FlapLinkEnvironment;
  readonly #transfer: DeviceTransfer;

  constructor(env: FlapLinkEnvironment) {
    this.#env = env;
    this.#transfer = new DeviceTransfer(FRAGMENT_SIZE[env.format].up, env.bufferSize);
  }

  startUplink(message: Uint8Array): SendStep {
    return this.#sealed(this.#transfer.startUplink(message));
  }

  startPoll(): SendStep {
    return this.#sealed(this.#transfer.startPoll());
  }

  /** Every datagram counts: FLAP can not tell a stale one from an answer, but by its number. */
  answered(datagram: Uint8Array): SendStep | End {
    return this.#step(this.#transfer.answered(this.#read(datagram)));
  }

  fail(why: string): End {
    this.#transfer.reset();
    return { kind: 'failed', why };
  }

  reset(): void {
    this.#transfer.reset();
  }

  #step(step: DeviceStep): SendStep | End {
    if (step.kind === 'send') return this.#sealed(step);
    if (step.kind !== 'poll-done') return step;
    const { finalAck, message, more } = step;
    return { kind: 'poll-done', message, more, farewell: finalAck && this.#seal(finalAck) };
  }

  #sealed({ packet, again }: Extract<DeviceStep, { readonly kind: 'send' }>): SendStep {
    const datagram = this.#seal(packet);
    return again === undefined ? { kind: 'send', datagram } : { kind: 'send', datagram, again };
  }

  #read(datagram: Uint8Array): Packet | 'unreadable' | 'foreign' {
    const { format, token, serial } = this.#env;
    const envelope = open(datagram, format);
    if (envelope === undefined || !hasValidTag(envelope, token)) return 'unreadable';
    return envelope.serial === serial ? envelope.packet : 'foreign';
  }

  #seal(packet: Packet): Uint8Array {
    const { serial, token, format } = this.#env;
    return seal(packet, serial, token, format);
  }
}
