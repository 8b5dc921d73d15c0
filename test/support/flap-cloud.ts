/**
 * A minimal cloud around a CloudTransfer: a queue of downlinks and a list of stored messages, without store, sockets or clock.
 */
import { seconds } from '../../src/kernel/time.js';
import { type CloudMove, CloudTransfer } from '../../src/protocol/flap/cloud-transfer.js';
import type { Packet } from '../../src/protocol/flap/packet.js';

type Evidence = NonNullable<CloudMove['delivered']>;

export interface LittleCloudOptions {
  /** Bytes of message data in a downlink packet. */
  readonly fragmentSize?: number;
  /** Whether the cloud accepts a message (wire W-35). Default: it accepts all. */
  readonly accepts?: (message: Uint8Array) => boolean;
}

export class LittleCloud {
  /** Simulated time, set by the test. */
  now = 0;
  /** All stored messages, including repetitions. */
  readonly stored: Uint8Array[] = [];
  /** Downlinks that are not delivered yet, oldest first. */
  readonly queue: Uint8Array[] = [];
  readonly delivered: { readonly message: Uint8Array; readonly evidence: Evidence }[] = [];
  /** Reason for the reaction to the last packet. */
  why = '';
  readonly #accepts: (message: Uint8Array) => boolean;
  readonly #transfer: CloudTransfer;

  constructor({ fragmentSize = 360, accepts = () => true }: LittleCloudOptions = {}) {
    this.#transfer = new CloudTransfer(fragmentSize, seconds(60));
    this.#accepts = accepts;
  }

  /** Processes a packet. Returns the answer; undefined if there is none. */
  receive(packet: Packet): Packet | undefined {
    const move = this.#transfer.receive(packet, this.now, () => this.queue.length > 1);
    if (move.delivered) this.#confirm(move.delivered);
    this.why = 'why' in move ? move.why : move.kind;
    switch (move.kind) {
      case 'silence':
        return undefined;
      case 'answer':
        return move.packet;
      case 'offer':
        return this.#transfer.offer(this.queue[0], this.queue.length > 1);
      case 'store':
        if (!this.#accepts(move.message)) return void this.#transfer.refuse();
        this.stored.push(move.message);
        return this.#transfer.acknowledge(this.queue.length > 0);
      default:
        return move satisfies never;
    }
  }

  /** Expected sequence number of the next packet; undefined if only a new exchange is accepted. */
  get expected(): number | undefined {
    return this.#transfer.expected;
  }

  /** Whether an offered downlink is not confirmed yet. */
  get offering(): boolean {
    return this.#transfer.offering;
  }

  #confirm(evidence: Evidence): void {
    const message = this.queue.shift();
    if (message === undefined) throw new Error('a downlink was delivered that was not queued');
    this.delivered.push({ message, evidence });
  }
}
