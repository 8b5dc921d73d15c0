/** Bytes in a row of the output. */
const ROW = 16;
const HALF = ROW / 2;

/**
 * Bytes as `shell_hexdump` of Zephyr prints them: each row has an address, 16 bytes, and the same bytes as text. A space
 * separates the two halves of a row, also in the text.
 * @param from address of the first byte
 */
export function hexdump(bytes: Uint8Array, from = 0): readonly string[] {
  return Array.from({ length: Math.ceil(bytes.length / ROW) }, (_, row) => {
    const at = row * ROW;
    const cells = [...bytes.subarray(at, at + ROW)];
    const hex = cells.map((byte) => `${byte.toString(16).padStart(2, '0')} `);
    const text = cells.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
    const address = (from + at).toString(16).padStart(8, '0').toUpperCase();
    return `${address}: ${inHalves(hex, 3)}|${inHalves(text, 1)}|`;
  });
}

/** The cells of a row (one for each byte) with a space between the two halves. @param width characters of a cell */
function inHalves(cells: readonly string[], width: number): string {
  const [first, second] = [cells.slice(0, HALF), cells.slice(HALF)].map((half) => half.join('').padEnd(HALF * width));
  return `${first} ${second}`;
}
