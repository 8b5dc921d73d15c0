/** Conversion of UUIDs: ids of shell messages and firmware updates are 16 bytes on the wire. */

export function uuidBytes(id: string): Uint8Array {
  return Uint8Array.from(Buffer.from(id.replaceAll('-', ''), 'hex'));
}

/** The UUID with these 16 bytes, in lower case. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
