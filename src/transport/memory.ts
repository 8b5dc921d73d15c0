/** Transport in memory: passes each datagram synchronously to the cloud, as it is. */
import { type Datagram, datagramBytes, type EnvelopeFormat } from '../protocol/flap/envelope.js';
import type { Channel, Receive, Receiver, Transport } from './transport.js';

type Deliver = (datagram: Datagram, reply: Receive, format: EnvelopeFormat) => void;

/** @param deliver passes a datagram to the cloud, which calls `reply` at most once per datagram */
export function memoryTransport(deliver: Deliver): Transport {
  return {
    connect: (_serial, receiver, format) => {
      return format === 'raw' ? new RawChannel(deliver, receiver) : new MemoryChannel(deliver, receiver);
    },
    close: async () => {},
  };
}

class MemoryChannel implements Channel {
  protected readonly deliver: Deliver;
  protected readonly receiver: Receiver;

  constructor(deliver: Deliver, receiver: Receiver) {
    this.deliver = deliver;
    this.receiver = receiver;
  }

  send(datagram: Datagram): void {
    this.deliver(datagram, (answer) => this.receiver.receive(answer), 'base64');
  }

  /** Has no effect: there are no ports. */
  reopen(): void {}
}

/** A subclass for each format takes less memory than a field with the format in each of up to 100,000 channels. */
class RawChannel extends MemoryChannel {
  override send(datagram: Datagram): void {
    this.deliver(datagram, (answer) => this.receiver.receive(answer), 'raw');
  }
}

interface MemoryPeers {
  readonly transport: Transport;
  /** Passes a datagram to the device that sent from this address. */
  readonly send: (datagram: Uint8Array, address: string) => void;
}

/**
 * Datagrams in memory between addresses, for a cloud that may answer one datagram with several, or with none. A new socket of a
 * device is a new address; datagrams for its older addresses still arrive.
 * @param deliver passes a datagram to the cloud
 */
export function memoryPeers(deliver: (datagram: Uint8Array, address: string) => void): MemoryPeers {
  const receivers = new Map<string, Receiver>();
  return {
    transport: {
      connect: (serial, receiver) => {
        let sockets = 0;
        receivers.set(String(serial), receiver);
        return {
          send: (datagram) => deliver(datagramBytes(datagram), `${serial}/${sockets}`),
          reopen: () => {
            sockets++;
          },
        };
      },
      close: async () => {},
    },
    send: (datagram, address) => {
      const [serial = ''] = address.split('/');
      receivers.get(serial)?.receive(datagram);
    },
  };
}
