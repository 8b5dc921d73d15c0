/**
 * The addresses of a gateway. A device asks for them when it starts and after trouble, and keeps the address that it got: with
 * a new look-up for every datagram, the datagrams of a transfer would reach different nodes of a cloud, and a slow resolver
 * would look like a gateway that does not respond.
 *
 * A datagram never waits for a look-up. Until the answer arrives, and if there is none, a device uses the addresses known
 * before.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '../kernel/clock.js';
import { asError, UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { reasonOf } from '../kernel/system-errors.js';
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import type { Failed, Receiver } from './transport.js';

/** Real time for which an answer serves other devices, too: a fleet that starts at once needs one look-up. */
const FRESH: Millis = seconds(1);

/** After this many datagrams in a row without an answer, a device goes to the next address, as hio devices do (timing T-44). */
const TROUBLE = 3;

interface HostOptions {
  /** Called with `name` for each look-up that fails after the first one. */
  readonly failed: Failed;
  /** Real time. */
  readonly clock?: Pick<Clock, 'now'>;
}

export class GatewayHost {
  readonly family: 4 | 6;
  readonly #name: string;
  readonly #failed: Failed;
  /** Sorted, because name servers rotate their answers. */
  #addresses: readonly string[];
  readonly #clock: Pick<Clock, 'now'>;
  #asking: Promise<void> | undefined;
  #askedAt: Instant;

  private constructor(
    name: string,
    family: 4 | 6,
    addresses: readonly string[],
    { failed, clock = new RealClock() }: HostOptions,
  ) {
    this.#name = name;
    this.family = family;
    this.#addresses = addresses;
    this.#failed = failed;
    this.#clock = clock;
    this.#askedAt = this.#clock.now;
  }

  /**
   * Resolves a host. Only its IPv4 addresses are used if it has addresses of both families.
   * @param host a name or an address; IPv6 with or without brackets
   * @throws UsageError if the host cannot be resolved
   */
  static async open(host: string, options: HostOptions): Promise<GatewayHost> {
    const name = host.replace(/^\[(.*)\]$/, '$1');
    try {
      const found = await lookup(name, { all: true, order: 'ipv4first' });
      const family = found[0]?.family === 6 ? 6 : 4;
      return new GatewayHost(name, family, addressesOf(found, family), options);
    } catch (error) {
      throw new UsageError('unknown-host', `cannot resolve "${host}": ${reasonOf(error)}`);
    }
  }

  /** The way of one device to the gateway. */
  route(serial: number): Route {
    return new Route(this, serial);
  }

  /**
   * The address for a device: a fleet is spread over all of them.
   * @param turn how many addresses the device has left for the next one
   */
  addressFor(serial: number, turn: number): string {
    const all = this.#addresses;
    // A host has at least one address.
    return all[(serial + turn) % all.length] as string;
  }

  /** Looks the host up again, and then calls `answered`. Does nothing for a host that is an address. */
  ask(answered: () => void): void {
    if (isIP(this.#name) !== 0) return;
    if (this.#asking === undefined && this.#clock.now - this.#askedAt < FRESH) return answered();
    this.#asking ??= this.#lookUp();
    void this.#asking.then(answered);
  }

  async #lookUp(): Promise<void> {
    try {
      this.#addresses = addressesOf(await lookup(this.#name, { all: true, family: this.family }), this.family);
    } catch (error) {
      this.#failed('name', asError(error));
    }
    this.#askedAt = this.#clock.now;
    this.#asking = undefined;
  }
}

/** The address that a device uses. */
class Route {
  readonly #host: GatewayHost;
  readonly #serial: number;
  #server = 1;
  #turn = 0;
  #address: string | undefined;
  #unanswered = 0;

  constructor(host: GatewayHost, serial: number) {
    this.#host = host;
    this.#serial = serial;
  }

  /** The address for the next datagram, which is sent now. */
  next(): string {
    if (++this.#unanswered > TROUBLE) this.#leave();
    this.#address ??= this.#host.addressFor(this.#serial, this.#turn);
    return this.#address;
  }

  /** The address that the device uses now. */
  get address(): string {
    return this.#address ?? this.#host.addressFor(this.#serial, this.#turn);
  }

  /** Passes the answers to the device on, and notes that they have arrived. */
  watch(device: Receiver): Receiver {
    return {
      receive: (datagram) => {
        this.#unanswered = 0;
        device.receive(datagram);
      },
    };
  }

  /** The device has opened a socket; see `Channel.reopen`. */
  reopened(server: number, started: boolean): void {
    const isOther = server !== this.#server;
    this.#server = server;
    if (started) this.#start();
    else if (isOther) this.#leave();
  }

  #start(): void {
    this.#turn = 0;
    this.#unanswered = 0;
    this.#address = undefined;
    this.#host.ask(() => {
      this.#address ??= this.#host.addressFor(this.#serial, this.#turn);
    });
  }

  #leave(): void {
    this.#turn++;
    this.#unanswered = 0;
    this.#host.ask(() => {
      this.#address = this.#host.addressFor(this.#serial, this.#turn);
    });
  }
}

function addressesOf(found: readonly { readonly address: string; readonly family: number }[], family: 4 | 6) {
  const addresses = found.filter((one) => one.family === family).map(({ address }) => address);
  if (addresses.length === 0) throw new Error(`no IPv${family} address`);
  return [...new Set(addresses)].sort();
}
