/** Notices that nobody answers a device. A gateway that is not there looks like one that does not know the device. */
import type { TraceEvent } from '../trace/events.js';

/**
 * What is to be said after an event, once until an answer comes; undefined: nothing.
 * @param address of the cloud
 */
export function silenceOf(address: string): (event: TraceEvent) => string | undefined {
  let told = false;
  return ({ kind }) => {
    if (kind === 'uplink.acked' || kind === 'downlink.received') told = false;
    if (told || kind !== 'device.repeat') return undefined;
    told = true;
    return `no answer yet from ${address}: is it there, and does it know this serial number and claim token?`;
  };
}
