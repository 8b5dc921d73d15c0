/** Detects that a device gets no response. An unreachable gateway and a device that the cloud does not know look the same. */
import type { TraceEvent } from '../trace/events.js';

/**
 * The message to show after an event, once per silence; undefined for no message.
 * @param address address of the cloud
 * @param link over UDP without DTLS, the cloud may drop datagrams from a new address of the device (docs/SECURITY.md)
 */
export function watchSilence(
  address: string,
  link: 'udp' | 'dtls' | 'http',
): (event: TraceEvent) => string | undefined {
  let [known, reported] = [false, false];
  return ({ kind }) => {
    if (kind === 'uplink.acked' || kind === 'downlink.received') [known, reported] = [true, false];
    if (reported || kind !== 'device.repeat') return undefined;
    reported = true;
    const silent = `no response from ${address}: check that it is running`;
    if (!known) {
      const option = link === 'http' ? '--api' : '--udp';
      return `${silent} and knows this serial number and claim token, or give its address with ${option}`;
    }
    return link === 'udp'
      ? `${silent}; if the device has a new address or port, the cloud may drop its polls as copies until its next report`
      : silent;
  };
}
