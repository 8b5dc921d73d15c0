/**
 * The part of a simulated run that every simulator would have to do: it turns the events into lines of the log and hashes
 * them, and it signs and checks the packets.
 */
import { createHash } from 'node:crypto';
import { FRAGMENT_SIZE, hasValidTag, open, seal, tokenBytes } from '../src/protocol/flap/envelope.js';
import { ACK, NOTHING, type Packet } from '../src/protocol/flap/packet.js';
import type { TraceEvent } from '../src/trace/events.js';
import { tokenOf } from './cloud/token.js';

/** CPU time of this process so far, in milliseconds. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of this work for these events, in milliseconds. */
export function bareDay(events: readonly TraceEvent[]): number {
  const token = tokenBytes(tokenOf(1));
  const fragment = FRAGMENT_SIZE.base64.up;
  const content = new Uint8Array(fragment).fill(0x5a);
  const digest = createHash('sha256');
  const began = cpuTime();
  for (const event of events) {
    digest.update(`${JSON.stringify(event)}\n`);
    if (event.kind !== 'uplink.made') continue;
    for (let left = event.bytes; left > 0; left -= fragment) {
      send({ flags: 0, sequence: 1, data: content.subarray(0, Math.min(left, fragment)) }, event.serial, token);
      send({ flags: ACK, sequence: 2, data: NOTHING }, event.serial, token);
    }
  }
  digest.digest();
  return cpuTime() - began;
}

function send(packet: Packet, serial: number, token: Uint8Array): void {
  const envelope = open(seal(packet, serial, token, 'base64'), 'base64');
  if (envelope === undefined || !hasValidTag(envelope, token)) throw new Error('a packet is not valid');
}
