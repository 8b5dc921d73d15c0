/** Detects that a device gets no response. An unreachable gateway and a device that the cloud does not know look the same. */
import type { TraceEvent } from '../trace/events.js';

/**
 * The message to show after an event, once per silence; undefined for no message.
 * @param address address of the cloud
 */
export function watchSilence(address: string): (event: TraceEvent) => string | undefined {
  let reported = false;
  return ({ kind }) => {
    if (kind === 'uplink.acked' || kind === 'downlink.received') reported = false;
    if (reported || kind !== 'device.repeat') return undefined;
    reported = true;
    return `no response from ${address}: check that it is running and knows this serial number and claim token`;
  };
}
