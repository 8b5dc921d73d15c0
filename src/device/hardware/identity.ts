/** Identity of a device from production, derived from its serial number. */
import type { Identity } from '../../profile/profile.js';
import type { Build } from '../../protocol/firmware-image.js';
import type { DeviceIdentity } from '../shell/host.js';

/** Identity that the device reports. @param build the firmware that runs @param claimToken 32 hex digits */
export function identityOf(identity: Identity, build: Build, serial: number, claimToken: string): DeviceIdentity {
  const { vendorName, productName, hwVariant, hwRevision } = identity;
  // Copied field by field, which is faster than a rest pattern: report bodies read this object.
  return {
    vendorName,
    productName,
    hwVariant,
    hwRevision,
    fwBundle: build.bundle,
    fwName: build.name,
    fwVersion: build.version,
    serialNumber: String(serial),
    claimToken,
    bleDevaddr: bluetoothAddress(serial),
    blePasskey: String(100_000 + ((serial * 7919) % 900_000)),
  };
}

/** Bits 29 to 20 of the serial numbers of CHESTER-U1 (wire W-48). */
const CHESTER_U1 = 0x00d;

/** Whether the modem determines the position, as in CHESTER-U1. Other devices have a separate GNSS receiver. */
export function positionsByModem(serial: number): boolean {
  return ((serial >>> 20) & 0x3ff) === CHESTER_U1;
}

/** A random static Bluetooth address: its two top bits are set. */
function bluetoothAddress(serial: number): string {
  const digits = (0x1_00_00_00 + (serial % 0x1_00_00_00)).toString(16);
  return `c0:de:00:${digits.slice(1, 3)}:${digits.slice(3, 5)}:${digits.slice(5)}`;
}
