/** Format of the datagrams of a device. CHESTER uses raw or base64; a hio device uses raw or, if configured, DTLS. */
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Policy } from '../family/index.js';

/** @param wanted format of the network. A hio device replaces `base64`, the default over UDP, by raw or DTLS. */
export function wireFormat(wanted: LinkFormat, { transfers }: Policy, config: DeviceConfig): LinkFormat {
  if (wanted !== 'base64' || !transfers.alwaysRaw) return wanted;
  const setting = config.layout.find('cloud', 'protocol') && config.text('cloud', 'protocol');
  return setting === 'flap-dtls' ? 'dtls' : 'raw';
}
