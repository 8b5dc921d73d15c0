/** The name under which a device presents its pre-shared key: `hsn:2159017985` (wire W-10). */

export function keyIdentity(serial: number): string {
  return `hsn:${serial}`;
}

/** The serial number in a name; undefined for other names. */
export function serialIn(identity: string): number | undefined {
  const [, digits] = /^hsn:([1-9]\d{0,9})$/.exec(identity) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
