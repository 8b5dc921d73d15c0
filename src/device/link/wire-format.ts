/** Decides the format of a device's datagrams: hio devices do not use base64. */
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Policy } from '../family/index.js';

/**
 * The format of a device's datagrams: `wanted`, except that a hio device replaces `base64`, the default over UDP, by raw or, if
 * its parameter `protocol` says so, by DTLS.
 */
export function wireFormat(wanted: LinkFormat, { transfers }: Policy, config: DeviceConfig): LinkFormat {
  if (wanted !== 'base64' || !transfers.alwaysRaw) return wanted;
  const setting = config.layout.find('cloud', 'protocol') && config.text('cloud', 'protocol');
  return setting === 'flap-dtls' ? 'dtls' : 'raw';
}
