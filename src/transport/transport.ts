/**
 * Carries datagrams between many devices and one cloud. Implementations: memory, udp; faults decorate either.
 */

/** Called with every datagram that arrives. */
export type Receive = (datagram: Uint8Array) => void;

/** Takes every datagram that arrives. An object and no function: there is one for every device, and functions take more. */
export interface Receiver {
  receive(datagram: Uint8Array): void;
}

/** A device's way to the cloud. */
export interface Channel {
  send(datagram: Uint8Array): void;
  /** The device has a new socket: over UDP, what it sends from now on comes from another port. */
  reopen(): void;
}

export interface Transport {
  /** Opens the way of the device with this serial number; answers of the cloud go to `receiver`. */
  connect(serial: number, receiver: Receiver): Channel;
  close(): Promise<void>;
}
