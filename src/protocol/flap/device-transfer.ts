/**
 * The device side of a transfer (wire W-17 to W-20): what to send next after an answer.
 *
 * The class has no clock and no transport. The caller sends the packet of a `send` step and passes the answer to `answered`. If
 * no answer arrives, the caller sends the same bytes again (5.2). Between transfers the state is only two numbers, because a
 * fleet has 100,000 of these objects.
 */
import { ACK, bytesOf, FIRST, LAST, NOTHING, type Packet, POLL, successor, textOf } from './packet.js';

/** Send this packet and wait for an answer. `again`: why the device sends again what it has sent before. */
interface SendStep {
  readonly kind: 'send';
  readonly packet: Packet;
  readonly again?: string;
}

/** What the device does next. */
export type DeviceStep =
  | SendStep
  /** The message is acknowledged; `poll`: a downlink is queued. */
  | { readonly kind: 'uplink-done'; readonly poll: boolean }
  /** The poll is complete. With a `message`, send `finalAck` before using it, without an answer. `more`: another waits. */
  | {
      readonly kind: 'poll-done';
      readonly message: Uint8Array;
      readonly more: boolean;
      readonly finalAck: Packet | undefined;
    }
  /** The transfer has failed and both counters are 0. */
  | { readonly kind: 'failed'; readonly why: string };

/** What a device does after a stale answer: an answer with the sequence number of the previous answer. */
interface StaleRule {
  /** Maximum number of stale answers to one packet. With one more, the transfer starts over. */
  readonly staleLimit: number;
  /** Whether a fragment is sent again with its own sequence number; otherwise it gets the next one. */
  readonly sameSequence: boolean;
}

/** How far a transfer is: the fragment of a message in transfer, from 1, or the fragments of a downlink received so far. */
export type TransferProgress =
  | { readonly kind: 'uplink'; readonly fragment: number; readonly of: number }
  | { readonly kind: 'poll'; readonly fragments: number };

/** The rule of CHESTER: stale answers have no limit, and the fragment gets the next sequence number. */
const NEXT_SEQUENCE: StaleRule = { staleLimit: Number.POSITIVE_INFINITY, sameSequence: false };

export class DeviceTransfer {
  readonly #fragmentSize: number;
  readonly #bufferSize: number;
  readonly #stale: StaleRule;
  /** Sequence number of the next packet. */
  #sequence = 0;
  /** Sequence number of the last packet received. */
  #received = 0;
  #task: UplinkTask | PollTask | undefined;

  /**
   * @param fragmentSize bytes of message data in an uplink packet
   * @param bufferSize maximum length of a downlink message in bytes (wire W-21)
   */
  constructor(fragmentSize: number, bufferSize: number, stale: StaleRule = NEXT_SEQUENCE) {
    this.#fragmentSize = fragmentSize;
    this.#bufferSize = bufferSize;
    this.#stale = stale;
  }

  /** Undefined between transfers. */
  get progress(): TransferProgress | undefined {
    const task = this.#task;
    if (task?.kind === 'poll') return { kind: 'poll', fragments: task.parts.length };
    if (task === undefined) return undefined;
    const count = (bytes: number) => Math.ceil(bytes / this.#fragmentSize);
    return { kind: 'uplink', fragment: count(task.offset) + 1, of: count(task.message.length) };
  }

  /** Begins to send `message` (type byte and value, at least one byte). */
  startUplink(message: Uint8Array): SendStep {
    this.#task = { kind: 'uplink', message, offset: 0, sent: 0, sequence: 0, stale: 0 };
    return this.sendFragment(this.#task);
  }

  /** Begins to ask for one downlink. */
  startPoll(): SendStep {
    this.#task = { kind: 'poll', parts: [], length: 0, sent: { flags: POLL, sequence: 0, data: NOTHING }, stale: 0 };
    return this.sendRequest(this.#task, POLL);
  }

  /** Processes the answer to the last `send`. 'unreadable': or a wrong tag; 'foreign': another serial number. */
  answered(answer: Packet | 'unreadable' | 'foreign'): DeviceStep {
    const task = this.#task;
    if (task === undefined) throw new Error('no transfer in progress');
    if (answer === 'unreadable') return this.fail('unreadable answer');
    if (answer === 'foreign') return this.fail('answer for another device');
    return task.kind === 'uplink' ? this.acknowledged(task, answer) : this.fragmentReceived(task, answer);
  }

  /** Aborts the transfer, for example after a timeout. */
  fail(why: string): DeviceStep {
    this.reset();
    return { kind: 'failed', why };
  }

  /**
   * Sends the message or the poll again from its beginning, with both counters 0. Used after a change of the cloud's address.
   */
  startOver(why: string): SendStep {
    this.#sequence = 0;
    this.#received = 0;
    const task = this.#task;
    return task?.kind === 'uplink' ? this.restartUplink(task, why) : this.restartPoll(why);
  }

  /** State after a boot: no transfer, both counters 0. */
  reset(): void {
    this.#task = undefined;
    this.#sequence = 0;
    this.#received = 0;
  }

  private acknowledged(task: UplinkTask, answer: Packet): DeviceStep {
    // The order of these checks is the firmware's (wire W-20).
    if (answer.flags & (FIRST | LAST)) return this.fail('fragment in place of an acknowledgement');
    if (answer.sequence === 0) return this.restartUplink(task, 'reset by the cloud');
    if (answer.sequence !== this.#sequence) {
      if (answer.sequence !== this.#received) return this.restartUplink(task, 'unexpected sequence number');
      if (++task.stale > this.#stale.staleLimit) return this.restartUplink(task, TOO_STALE);
      const { sameSequence } = this.#stale;
      return {
        ...this.sendFragment(task, sameSequence ? task.sequence : this.nextSequence()),
        again: 'stale answer',
      };
    }
    task.stale = 0;
    if (answer.data.length > 0) return this.restartUplink(task, 'data in an acknowledgement');
    this.take(answer);
    task.offset += task.sent;
    if (task.offset < task.message.length) return this.sendFragment(task);
    this.#task = undefined;
    return { kind: 'uplink-done', poll: (answer.flags & POLL) !== 0 };
  }

  private fragmentReceived(task: PollTask, answer: Packet): DeviceStep {
    if (answer.sequence === 0) return this.restartPoll('reset by the cloud');
    if (answer.sequence !== this.#sequence) {
      if (answer.sequence !== this.#received) return this.restartPoll('unexpected sequence number');
      if (++task.stale > this.#stale.staleLimit) return this.restartPoll(TOO_STALE);
      return { kind: 'send', packet: task.sent, again: 'stale answer' };
    }
    task.stale = 0;
    const isFirst = task.sent.flags === POLL;
    this.take(answer);
    if (answer.flags & ACK) return this.fail('acknowledgement in place of a fragment');
    if (answer.flags & FIRST) {
      task.parts = [];
      task.length = 0;
    }
    task.length += answer.data.length;
    if (task.length > this.#bufferSize) return this.fail('message longer than the buffer');
    if (answer.data.length > 0) task.parts.push(textOf(answer.data));
    if (!(answer.flags & LAST)) return this.sendRequest(task, ACK);

    this.#task = undefined;
    const more = (answer.flags & POLL) !== 0;
    if (isFirst && answer.data.length === 0) return { kind: 'poll-done', message: NOTHING, more, finalAck: undefined };
    const finalAck: Packet = { flags: ACK, sequence: this.nextSequence(), data: NOTHING };
    return { kind: 'poll-done', message: bytesOf(task.parts.join('')), more, finalAck };
  }

  private sendFragment(task: UplinkTask, sequence = this.nextSequence()): SendStep {
    const end = Math.min(task.offset + this.#fragmentSize, task.message.length);
    const flags = (task.offset === 0 ? FIRST : 0) | (end === task.message.length ? LAST : 0);
    task.sent = end - task.offset;
    task.sequence = sequence;
    const data = task.message.subarray(task.offset, end);
    return { kind: 'send', packet: { flags, sequence, data } };
  }

  private sendRequest(task: PollTask, flags: number): SendStep {
    task.sent = { flags, sequence: this.nextSequence(), data: NOTHING };
    return { kind: 'send', packet: task.sent };
  }

  private restartUplink(task: UplinkTask, why: string): SendStep {
    this.#sequence = 0;
    task.offset = 0;
    task.stale = 0;
    return { ...this.sendFragment(task), again: why };
  }

  private restartPoll(why: string): SendStep {
    this.#sequence = 0;
    return { ...this.startPoll(), again: why };
  }

  private nextSequence(): number {
    const sequence = this.#sequence;
    this.#sequence = successor(sequence);
    return sequence;
  }

  private take(answer: Packet): void {
    this.#received = answer.sequence;
    this.#sequence = successor(answer.sequence);
  }
}

interface UplinkTask {
  readonly kind: 'uplink';
  readonly message: Uint8Array;
  /** Bytes that are acknowledged. */
  offset: number;
  /** Bytes of the fragment in transfer. */
  sent: number;
  sequence: number;
  /** Stale answers to that fragment so far. */
  stale: number;
}

interface PollTask {
  readonly kind: 'poll';
  /** The received fragments, from {@link textOf}. */
  parts: string[];
  length: number;
  sent: Packet;
  /** Stale answers to `sent` so far. */
  stale: number;
}

const TOO_STALE = 'stale answers without end';
