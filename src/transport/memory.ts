/** The shortest wire: hands each datagram to the cloud in the same turn, as bytes. */
import type { Channel, Receive, Receiver, Transport } from './transport.js';

type Deliver = (datagram: Uint8Array, reply: Receive) => void;

/** @param deliver hands a datagram to the cloud; answers go to `reply`, at most one a datagram */
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

  /** There are no ports. */
  reopen(): void {}
}
