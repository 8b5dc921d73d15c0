/** CREATE_SESSION: what the device says about itself (wire protocol, 7.1). */
import { encodeUp } from '../protocol/messages.js';
import type { Hardware } from './hardware.js';

export function sessionRequest({ type, serial, identity, subscriber }: Hardware): Uint8Array {
  const { modemFirmware, ...known } = type.profile.identity;
  return encodeUp({
    kind: 'create-session',
    session: {
      watchdog_timeout: 0,
      serial_number: serial,
      vendor_name: known.vendorName,
      product_name: known.productName,
      hw_variant: known.hwVariant,
      hw_revision: known.hwRevision,
      fw_bundle: known.fwBundle,
      fw_name: known.fwName,
      fw_version: known.fwVersion,
      ble_passkey: identity.blePasskey ?? '(unset)',
      imei: subscriber.imei,
      imsi: subscriber.imsi,
      iccid: subscriber.iccid,
      modem_fw_version: modemFirmware,
    },
  });
}
