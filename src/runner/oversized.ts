/** A warning about a cloud that sends datagrams that are longer than the buffers of its devices. */
import { humanCount } from '../kernel/quantity.js';
import type { FleetSummary, Overruns } from '../trace/metrics/devices.js';

/** @param nameOf name of the device with a serial number */
export function warnOfOversized(
  { overruns, hioOverruns }: FleetSummary,
  nameOf: (serial: number) => string,
): readonly string[] {
  const sentence = (found: Overruns | undefined, what: string) =>
    found === undefined ? [] : [`the cloud sends datagrams that ${what}: ${describeAmount(found, nameOf)}`];
  return [
    ...sentence(overruns, 'no CHESTER can receive'),
    ...sentence(hioOverruns, 'no hio device can receive as a whole'),
  ];
}

function describeAmount({ datagrams, longest, devices, first }: Overruns, nameOf: (serial: number) => string): string {
  const one = datagrams === 1;
  const count = one
    ? `a datagram of ${humanCount(longest)} bytes`
    : `${humanCount(datagrams)} datagrams of up to ${humanCount(longest)} bytes`;
  const rest = devices - first.length;
  const names = [...first.map(nameOf), ...(rest > 0 ? [`${humanCount(rest)} more`] : [])];
  return `${count} to ${names.join(', ')}; their buffer holds 508`;
}
