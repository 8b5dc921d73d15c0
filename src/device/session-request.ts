/** CREATE_SESSION: what the device says about itself (wire protocol, 7.1). */
import { encodeUp } from '../protocol/messages.js';
import type { Hardware } from './hardware.js';

export function sessionRequest({ type, serial, identity, subscriber, build }: Hardware): Uint8Array {
  const { modemFirmware, ...known } = type.profile.identity;
  const { bundle, name, version } = build;
  return encodeUp({
    kind: 'create-session',
    session: {
      watchdog_timeout: 0,
      serial_number: serial,
      vendor_name: known.vendorName,
      product_name: known.productName,
      hw_variant: known.hwVariant,
      hw_revision: known.hwRevision,
      fw_bundle: bundle,
      fw_name: name,
      fw_version: version,
      ble_passkey: identity.blePasskey ?? '(unset)',
      imei: subscriber.imei,
      imsi: subscriber.imsi,
      iccid: subscriber.iccid,
      modem_fw_version: modemFirmware,
    },
  });
}
