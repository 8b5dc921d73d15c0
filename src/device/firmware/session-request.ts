/** CREATE_SESSION: the facts that the device reports about itself (wire W-47). */
import type { SupplyModule } from '../../profile/profile.js';
import { encodeUp, type SessionFacts } from '../../protocol/messages/index.js';
import type { Hardware } from '../hardware/hardware.js';

export function buildSessionRequest({ type, serial, identity, subscriber, build }: Hardware): Uint8Array {
  const { supplyModule } = type.profile;
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
      imei: subscriber.imei,
      imsi: subscriber.imsi,
      iccid: subscriber.iccid,
      ...(type.policy.session.namesModem && {
        ble_passkey: identity.blePasskey ?? '(unset)',
        modem_fw_version: modemFirmware,
      }),
      ...(supplyModule && collectFacts(supplyModule, serial)),
    },
  });
}

/** A real module has its own serial number; the simulated one has that of the device, here and in `backup status`. */
function collectFacts({ hwRevision, hwVariant, fwVersion }: SupplyModule, serial: number): SessionFacts {
  return {
    z_serial_number: String(serial),
    z_hw_revision: `R${hwRevision >> 8}.${hwRevision & 0xff}`,
    z_hw_variant: `0x${hwVariant.toString(16).padStart(4, '0')}`,
    z_fw_version: `v${fwVersion >>> 24}.${(fwVersion >> 16) & 0xff}.${(fwVersion >> 8) & 0xff}`,
  };
}
