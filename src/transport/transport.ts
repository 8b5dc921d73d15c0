/**
 * Carries datagrams between many devices and one cloud: in memory, over UDP with shared sockets or one for each device, or over
 * HTTP. Faults decorate any of these transports; DTLS runs over one of them.
 */
import type { Datagram, LinkFormat } from '../protocol/flap/envelope.js';

/** Called with every datagram that arrives. */
export type Receive = (datagram: Datagram) => void;

/** Receives every datagram that arrives. An object, because one per device takes less memory than a function. */
export interface Receiver {
  receive(datagram: Datagram): void;
}

/** One end of a datagram. */
interface End {
  /** IPv4 or IPv6. */
  readonly address: string;
  readonly port: number;
}

/** Connection of a device to the cloud. */
export interface Channel {
  send(datagram: Datagram): void;
  /**
   * The device has opened a new socket: over UDP, later datagrams come from another port.
   * @param server number of the address of the cloud that the socket uses, from 1; all addresses belong to the same cloud.
   * Default: 1
   * @param started whether it is the first socket since the start of the device. Default: false
   */
  reopen(server?: number, started?: boolean): void;
  /** The modem has lost its RAM: a DTLS connection ends, without notice to the cloud. */
  reset?(): void;
  /** The socket of the device, and the address of the cloud; undefined if there are no real sockets. */
  path?(): { readonly device: End; readonly cloud: End } | undefined;
  /** Called with the keys of a DTLS connection, for a channel that records. */
  agreed?(clientRandom: Uint8Array, master: Uint8Array): void;
}

/**
 * Called for each error of the system. `datagram` and `request`: it was not sent, so the device gets no answer and repeats it.
 * `name`: the name of the gateway could not be resolved again, so the devices keep the addresses known before. `answer`: it was
 * given up, because it exceeded a limit of ghostfleet.
 */
export type Failed = (what: 'name' | 'datagram' | 'request' | 'answer', error: Error) => void;

export interface Transport {
  /**
   * Connects the device with this serial number; `receiver` receives the datagrams of the cloud.
   * @param format of the datagrams; it decides the port. Default: base64
   */
  connect(serial: number, receiver: Receiver, format?: LinkFormat): Channel;
  close(): Promise<void>;
}
