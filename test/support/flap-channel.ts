/** Unreliable networks, and exchanges to run over them. */
import { between, chance, integerBetween, type Random, randomBytes } from '../../src/kernel/random.js';
import { type Millis, seconds } from '../../src/kernel/time.js';
import type { Packet } from '../../src/protocol/flap/packet.js';

/** The delays after which the copies of a packet arrive; empty if the packet is lost. */
export type Channel = (way: 'up' | 'down', packet: Packet) => readonly Millis[];

export interface Badness {
  /** Share of datagrams that are lost. */
  readonly loss: number;
  /** Share of the remaining datagrams that arrive twice. */
  readonly duplication: number;
  /** Longest delay. The delay of each copy is random, so that the order of copies changes. */
  readonly delay: Millis;
}

export function badChannel(random: Random, { loss, duplication, delay }: Badness): Channel {
  const arrival = () => between(random, 1, delay);
  return () => {
    if (chance(random, loss)) return [];
    return chance(random, duplication) ? [arrival(), arrival()] : [arrival()];
  };
}

/** An uplink, sent `pause` after the previous exchange, and the downlinks that are queued immediately before it. */
export interface Exchange {
  readonly pause: Millis;
  readonly uplink: Uint8Array;
  readonly downlinks: readonly Uint8Array[];
}

/** Exchanges with an uplink of 5 to 2000 bytes; 40 % of them also have a downlink of 10 to 900 bytes (wire W-22, W-27). */
export function randomExchanges(random: Random, count: number): readonly Exchange[] {
  // The number makes every message different, like the sequence in a data message.
  const message = (number: number, from: number, to: number) => {
    const bytes = Buffer.from(randomBytes(random, integerBetween(random, from, to)));
    bytes.writeUInt32BE(number, 1);
    return bytes;
  };
  return Array.from({ length: count }, (_, number) => ({
    pause: between(random, seconds(1), seconds(60)),
    uplink: message(number, 5, 2000),
    downlinks: chance(random, 0.4) ? [message(number, 10, 900)] : [],
  }));
}
