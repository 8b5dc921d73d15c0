/** Finds out that nothing comes back from an address of the gateway of another cloud, for example of a wrong `--udp`. */
import type { Datagram, LinkFormat } from '../../protocol/flap/envelope.js';
import type { Channel, Receiver, Transport } from '../../transport/transport.js';

/** A device sends a datagram up to twice although the gateway is there: the cloud does not answer a first repetition. */
const SILENT_AFTER = 3;

interface Address {
  /** What to check: `127.0.0.1:5003 (--udp)`. */
  readonly text: string;
  /** Whether a datagram has come back. */
  answers: boolean;
  silent: boolean;
}

export class SilentGateway {
  readonly #addresses = new Map<string, Address>();
  readonly #found: (sentence: string) => void;

  /** @param found called when a device has sent three datagrams to an address from which nothing has come back */
  constructor(found: (sentence: string) => void) {
    this.#found = found;
  }

  /** A sentence for each address from which nothing has come back. */
  get sentences(): readonly string[] {
    return [...this.#addresses.values()].filter(({ answers, silent }) => silent && !answers).map(describeSilence);
  }

  /**
   * Watches a transport.
   * @param textOf the address for datagrams of a format, with the option that sets it
   */
  watch(wire: Transport, textOf: (format: LinkFormat) => string): Transport {
    return {
      connect: (serial, receiver, format = 'base64') =>
        this.#watchChannel(wire, serial, receiver, format, textOf(format)),
      close: () => wire.close(),
    };
  }

  #watchChannel(wire: Transport, serial: number, receiver: Receiver, format: LinkFormat, text: string): Channel {
    const address = this.#addresses.get(text) ?? { text, answers: false, silent: false };
    this.#addresses.set(text, address);
    let sent = 0;
    const receive = (datagram: Datagram) => {
      address.answers = true;
      receiver.receive(datagram);
    };
    const channel = wire.connect(serial, { receive }, format);
    return {
      send: (datagram) => {
        channel.send(datagram);
        if (address.answers || address.silent || ++sent < SILENT_AFTER) return;
        address.silent = true;
        this.#found(describeSilence(address));
      },
      reopen: (server, started) => channel.reopen(server, started),
      path: () => channel.path?.(),
    };
  }
}

function describeSilence({ text }: Address): string {
  return `nothing comes back from the UDP gateway ${text}: check this address`;
}
