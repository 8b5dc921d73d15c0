/**
 * A device that follows a script: it sends its messages at the recorded times, polls when the firmware would poll, and does
 * nothing else. The transfer is that of the firmware (protocol/flap/device-transfer.ts), so the cloud receives real packets.
 *
 * Within a contact, simulated time passes only between an answer of the cloud and the next packet of the device. The first
 * packet of a contact takes no time: it arrives at the cloud at the time in the script, because the cloud recorded these times.
 */
import { append } from '../../kernel/append.js';
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Millis, seconds } from '../../kernel/time.js';
import { type DeviceStep, DeviceTransfer } from '../../protocol/flap/device-transfer.js';
import { type Datagram, FRAGMENT_SIZE, hasValidTag, open, Sealed } from '../../protocol/flap/envelope.js';
import type { Packet } from '../../protocol/flap/packet.js';
import { TYPE } from '../../protocol/messages/index.js';
import type { Contact, ScriptDevice } from '../../record/script.js';
import type { Channel, Transport } from '../../transport/transport.js';
import { encodeUplink } from './messages.js';

/** Time after which an exchange without an answer has failed. In memory no datagram is lost, so no exchange should fail. */
const PATIENCE = seconds(60);
/** Size of the receive buffer: larger than every downlink (wire W-21). */
const BUFFER = 16_384;

interface PlayerOptions {
  readonly script: ScriptDevice;
  readonly serial: number;
  /** Claim token, 16 bytes. */
  readonly token: Uint8Array;
  readonly clock: Clock;
  readonly transport: Transport;
  /** Whether a downlink is waiting for the device. Without one, no poll is played. */
  readonly waits: () => boolean;
}

type Task = Pick<Contact, 'kind' | 'moreUploads' | 'deaf'>;

export class Player {
  readonly #options: PlayerOptions;
  readonly #channel: Channel;
  readonly #transfer = new DeviceTransfer(FRAGMENT_SIZE.base64.up, BUFFER);
  /** Contacts that begin after the delivery of a downlink, by the number of this downlink. */
  readonly #caused = new Map<number, Contact[]>();
  /** Contacts that are due during an exchange. */
  #due: Task[] = [];
  #task: Task | undefined;
  /** Whether the cloud has set the poll flag during a series of uploads. The device then polls after the last upload. */
  #pollAsked = false;
  #sent = 0;
  #patience: Alarm | undefined;
  /** Set while the device waits for the retry of a failed poll. */
  #retry: Alarm | undefined;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#channel = options.transport.connect(options.serial, this);
    for (const contact of options.script.contacts) {
      if (contact.cause === undefined) continue;
      append(this.#caused, contact.cause, contact);
    }
  }

  /** Plans the contacts that no delivery causes. @param zero simulated time at which the script begins */
  start(zero: Millis): void {
    for (const contact of this.#options.script.contacts) {
      if (contact.cause === undefined) this.#plan(contact, zero + contact.at);
    }
  }

  /** Plays a contact that is not in the script. It begins at once, or after the exchange in progress. */
  beginContact(kind: Contact['kind']): void {
    this.#begin({ kind, moreUploads: false, deaf: false });
  }

  /** The device could not carry out a downlink: the firmware polls again after the retry delay (timing T-20). */
  noteFailure(): void {
    const { clock, script } = this.#options;
    this.#retry?.cancel();
    this.#retry = clock.after(script.retry, 'the retry of a poll in a replay', () => {
      this.#retry = undefined;
      this.beginContact('poll');
    });
  }

  /** Downlink `n` has been delivered: plans the contacts that it causes. */
  noteDelivered(n: number, zero: Millis): void {
    for (const contact of this.#caused.get(n) ?? []) this.#plan(contact, zero + contact.at);
    this.#caused.delete(n);
  }

  receive(datagram: Datagram): void {
    if (this.#task === undefined) return;
    const { token } = this.#options;
    const envelope = open(datagram, 'base64');
    const valid = envelope !== undefined && hasValidTag(envelope, token);
    const step = this.#transfer.answered(valid ? envelope.packet : 'unreadable');
    this.#doLater(() => this.#perform(step));
  }

  #plan(contact: Contact, at: Millis): void {
    const { clock } = this.#options;
    clock.after(Math.max(0, at - clock.now), 'a contact of a recording', () => this.#begin(contact));
  }

  #begin(task: Task): void {
    if (this.#task !== undefined) {
      this.#due.push(task);
      return;
    }
    if (task.kind === 'poll' && (this.#retry || !this.#options.waits())) return this.#end();
    this.#task = task;
    if (task.kind === 'session') this.#noteRestart();
    const { serial } = this.#options;
    const step =
      task.kind === 'poll'
        ? this.#transfer.startPoll()
        : this.#transfer.startUplink(encodeUplink(task.kind, serial, ++this.#sent));
    this.#transmit(step.packet);
  }

  #perform(step: DeviceStep): void {
    const task = this.#task;
    if (task === undefined) return;
    switch (step.kind) {
      case 'send':
        return this.#transmit(step.packet);
      case 'uplink-done':
        return this.#noteAcknowledged(task, step.poll);
      case 'poll-done':
        if (step.finalAck) this.#send(step.finalAck);
        return this.#takeReceived(step.message, step.more);
      case 'failed':
        return this.#end();
      default:
        step satisfies never;
    }
  }

  /** After a poll flag, the firmware polls at once, or, in a series of uploads, after the last one (timing T-22). */
  #noteAcknowledged(task: Task, poll: boolean): void {
    if (task.kind === 'session') return this.#poll();
    this.#pollAsked ||= poll && !task.deaf && !this.#retry;
    if (task.moreUploads || !this.#pollAsked) return this.#end();
    this.#pollAsked = false;
    this.#poll();
  }

  /**
   * Reacts to a downlink (timing T-14, T-23). If the poll flag is set, the device polls again: at once after data and
   * timestamps, but after a session only when the uploads are done. Commands are answered first. A configuration restarts the
   * device.
   */
  #takeReceived([type]: Uint8Array, more: boolean): void {
    if (more && (type === TYPE['download-data'] || type === TYPE['set-timestamp'])) return this.#poll();
    if (more && type === TYPE['set-session']) {
      if (!this.#task?.moreUploads) return this.#poll();
      this.#pollAsked = true;
    }
    this.#end();
  }

  #noteRestart(): void {
    this.#pollAsked = false;
    this.#retry?.cancel();
    this.#retry = undefined;
  }

  /** Polls within the present contact. */
  #poll(): void {
    this.#transmit(this.#transfer.startPoll().packet);
  }

  #end(): void {
    this.#patience?.cancel();
    this.#task = undefined;
    const next = this.#due.shift();
    if (next) this.#begin(next);
  }

  #transmit(packet: Packet): void {
    const { clock } = this.#options;
    this.#patience?.cancel();
    this.#patience = clock.after(PATIENCE, 'an answer in a replay', () =>
      this.#perform(this.#transfer.fail('silence')),
    );
    this.#send(packet);
  }

  #send(packet: Packet): void {
    const { serial, token } = this.#options;
    this.#channel.send(new Sealed(packet, serial, token, 'base64'));
  }

  #doLater(action: () => void): void {
    this.#options.clock.after(this.#options.script.trip, 'a packet on its way', action);
  }
}
