/** Bytes in a row. */
const ROW = 16;

/** Bytes as Zephyr's shell prints them: 16 in a row, after an address and before the same bytes as text. */
export function hexdump(bytes: Uint8Array, from = 0): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = [...bytes.subarray(at, at + ROW)];
    const hex = row.map((byte) => `${byte.toString(16).padStart(2, '0')} `);
    if (hex.length > ROW / 2) hex.splice(ROW / 2, 0, ' ');
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    // A byte takes three columns, and one column separates the two halves.
    const columns = hex.join('').padEnd(3 * ROW + 1);
    lines.push(`${(from + at).toString(16).padStart(8, '0').toUpperCase()}: ${columns}|${text.padEnd(ROW)}|`);
  }
  return lines;
}
