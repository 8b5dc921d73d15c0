/** `info`: the data written into the device in production (shell S-20). */
import type { Command } from '../shell/command.js';
import type { DeviceIdentity } from '../shell/host.js';
import { ok } from './results.js';

/** The fields of `info show`, in its order. */
const FIELDS: readonly { readonly word: string; readonly label: string; readonly of: keyof DeviceIdentity }[] = [
  { word: 'vendor-name', label: 'vendor name', of: 'vendorName' },
  { word: 'product-name', label: 'product name', of: 'productName' },
  { word: 'hw-variant', label: 'hardware variant', of: 'hwVariant' },
  { word: 'hw-revision', label: 'hardware revision', of: 'hwRevision' },
  { word: 'fw-bundle', label: 'firmware bundle', of: 'fwBundle' },
  { word: 'fw-name', label: 'firmware name', of: 'fwName' },
  { word: 'fw-version', label: 'firmware version', of: 'fwVersion' },
  { word: 'serial-number', label: 'serial number', of: 'serialNumber' },
  { word: 'claim-token', label: 'claim token', of: 'claimToken' },
  { word: 'ble-devaddr', label: 'ble devaddr', of: 'bleDevaddr' },
  { word: 'ble-passkey', label: 'ble passkey', of: 'blePasskey' },
];

/** @param missing words of {@link FIELDS} that the device does not have */
export function infoGroup(missing: readonly string[] = []): Command {
  const fields = FIELDS.filter(({ word }) => !missing.includes(word));
  return {
    word: 'info',
    help: 'Facts about this device.',
    children: [
      {
        word: 'show',
        help: 'Show all facts.',
        args: [0, 0],
        run: ({ hardware: { identity } }) => ok(...fields.map((field) => line(field.label, identity[field.of]))),
      },
      ...fields.map(
        (field): Command => ({
          word: field.word,
          help: `Show the ${field.label}.`,
          args: [0, 0],
          run: ({ hardware: { identity } }) => ok(line(field.label, identity[field.of])),
        }),
      ),
    ],
  };
}

function line(label: string, value: string | undefined): string {
  return `${label}: ${value ?? '(unset)'}`;
}
