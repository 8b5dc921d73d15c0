/** How the datagrams of a device travel: base64 is a choice of CHESTER's firmware, DTLS one of the settings of hio devices. */
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Policy } from '../family/index.js';

/** @param wanted format of the network; base64 stands for any format over UDP */
export function wireFormat(wanted: LinkFormat, { transfers }: Policy, config: DeviceConfig): LinkFormat {
  if (wanted !== 'base64' || !transfers.alwaysRaw) return wanted;
  const setting = config.layout.find('cloud', 'protocol') && config.text('cloud', 'protocol');
  return setting === 'flap-dtls' ? 'dtls' : 'raw';
}
