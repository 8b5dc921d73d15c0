/** Transport in memory: passes each datagram synchronously to the cloud, as bytes. */
import type { Channel, Receive, Receiver, Transport } from './transport.js';

type Deliver = (datagram: Uint8Array, reply: Receive) => void;

/** @param deliver passes a datagram to the cloud, which calls `reply` at most once per datagram */
export function memoryTransport(deliver: Deliver): Transport {
  return {
    connect: (_serial, receiver) => new MemoryChannel(deliver, receiver),
    close: async () => {},
  };
}

class MemoryChannel implements Channel {
  readonly #deliver: Deliver;
  readonly #receiver: Receiver;

  constructor(deliver: Deliver, receiver: Receiver) {
    this.#deliver = deliver;
    this.#receiver = receiver;
  }

  send(datagram: Uint8Array): void {
    this.#deliver(datagram, (answer) => this.#receiver.receive(answer));
  }

  /** Has no effect: there are no ports. */
  reopen(): void {}
}
