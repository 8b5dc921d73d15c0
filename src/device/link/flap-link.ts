/** FLAP over datagrams: the transfer state machine at the device's end (wire W-17 to W-20), on a radio link. */
import { type DeviceStep, DeviceTransfer, type TransferProgress } from '../../protocol/flap/device-transfer.js';
import {
  type Datagram,
  datagramBytes,
  FRAGMENT_SIZE,
  type FragmentSizes,
  hasValidTag,
  open,
  type PacketFormat,
  Sealed,
} from '../../protocol/flap/envelope.js';
import { decodePacket, encodePacket, type Packet } from '../../protocol/flap/packet.js';
import type { DeviceEnd, Dialogue, End, SendStep } from './radio-link.js';

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
  answered(datagram: Datagram): SendStep | End {
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

  private read(datagram: Datagram): Packet | 'unreadable' | 'foreign' {
    if (this.#format === 'dtls') return decodePacket(datagramBytes(datagram)) ?? 'unreadable';
    const { token, serial } = this.#device;
    const envelope = open(datagram, this.#format);
    if (envelope === undefined || !hasValidTag(envelope, token)) return 'unreadable';
    return envelope.serial === serial ? envelope.packet : 'foreign';
  }

  private datagram(packet: Packet): Datagram {
    if (this.#format === 'dtls') return encodePacket(packet);
    const { serial, token } = this.#device;
    return new Sealed(packet, serial, token, this.#format);
  }
}
