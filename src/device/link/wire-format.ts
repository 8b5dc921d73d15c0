/** Decides the format of a device's datagrams: hio devices do not use base64. */
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Policy } from '../family/index.js';

/** The format of datagrams: as wanted, but hio devices use raw, or by their parameter `protocol` DTLS, for base64. */
export function wireFormat(wanted: LinkFormat, { transfers }: Policy, config: DeviceConfig): LinkFormat {
  if (wanted !== 'base64' || !transfers.alwaysRaw) return wanted;
  const setting = config.layout.find('cloud', 'protocol') && config.text('cloud', 'protocol');
  return setting === 'flap-dtls' ? 'dtls' : 'raw';
}
