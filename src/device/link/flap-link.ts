/** FLAP over datagrams: the transfer state machine at the device's end (wire W-17 to W-20), on a radio link. */
import { type DeviceStep, DeviceTransfer, type TransferProgress } from '../../protocol/flap/device-transfer.js';
import {
  FRAGMENT_SIZE,
  type FragmentSizes,
  hasValidTag,
  open,
  type PacketFormat,
  seal,
} from '../../protocol/flap/envelope.js';
import { decodePacket, encodePacket, type Packet } from '../../protocol/flap/packet.js';
import type { Datagram, DeviceEnd, Dialogue, End, SendStep } from './radio-link.js';

/** Sends FLAP packets in envelopes. With DTLS, a packet has no envelope, and the transport encrypts it. */
export class FlapDialogue implements Dialogue {
  readonly #device: DeviceEnd;
  readonly #format: PacketFormat;
  readonly #transfer: DeviceTransfer;

  constructor(device: DeviceEnd, format: PacketFormat) {
    this.#device = device;
    this.#format = format;
    this.#transfer = new DeviceTransfer(this.fragments.up, device.bufferSize, device.policy.transfers);
  }

  /** `CTR_CLOUD_PACKET_MAX_SIZE`. */
  readonly longestAnswer = 508;

  get progress(): TransferProgress | undefined {
    return this.#transfer.progress;
  }

  get fragments(): FragmentSizes {
    return this.#format === 'raw' ? this.#device.policy.transfers.rawFragments : FRAGMENT_SIZE[this.#format];
  }

  startUplink(message: Uint8Array): SendStep {
    return this.sealed(this.#transfer.startUplink(message));
  }

  startPoll(): SendStep {
    return this.sealed(this.#transfer.startPoll());
  }

  /** Every datagram is treated as the answer: FLAP recognises an outdated one only by its sequence number. */
  answered(datagram: Uint8Array): SendStep | End {
    return this.step(this.#transfer.answered(this.read(datagram)));
  }

  startOver(why: string): SendStep {
    return this.sealed(this.#transfer.startOver(why));
  }

  fail(why: string): End {
    this.#transfer.reset();
    return { kind: 'failed', why };
  }

  reset(): void {
    this.#transfer.reset();
  }

  private step(step: DeviceStep): SendStep | End {
    if (step.kind === 'send') return this.sealed(step);
    if (step.kind !== 'poll-done') return step;
    const { finalAck, message, more } = step;
    return { kind: 'poll-done', message, more, farewell: finalAck && this.datagram(finalAck) };
  }

  private sealed({ packet, again }: Extract<DeviceStep, { readonly kind: 'send' }>): SendStep {
    const datagram = this.datagram(packet);
    return again === undefined ? { kind: 'send', datagram } : { kind: 'send', datagram, again };
  }

  private read(datagram: Uint8Array): Packet | 'unreadable' | 'foreign' {
    if (this.#format === 'dtls') return decodePacket(datagram) ?? 'unreadable';
    const { token, serial } = this.#device;
    const envelope = open(datagram, this.#format);
    if (envelope === undefined || !hasValidTag(envelope, keyOf(token))) return 'unreadable';
    return envelope.serial === serial ? envelope.packet : 'foreign';
  }

  private datagram(packet: Packet): Datagram {
    return () => this.seal(packet);
  }

  private seal(packet: Packet): Uint8Array {
    if (this.#format === 'dtls') return encodePacket(packet);
    const { serial, token } = this.#device;
    return seal(packet, serial, keyOf(token), this.#format);
  }
}

const key = new Uint8Array(16);
/** Values of hex digits, by character code. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0);

/** A claim token as bytes, valid until the next call reuses the array. Devices store the text, which is smaller. */
function keyOf(token: string): Uint8Array {
  for (let i = 0; i < key.length; i++) {
    key[i] = ((digits[token.charCodeAt(2 * i)] as number) << 4) | (digits[token.charCodeAt(2 * i + 1)] as number);
  }
  return key;
}
