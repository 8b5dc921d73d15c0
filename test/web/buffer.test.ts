/** Compares the `Buffer` of the console with that of Node. */
import fc from 'fast-check';
import { expect, it } from 'vitest';

const nodes = globalThis.Buffer;
await import('../../web/src/platform/buffer.js');
const browsers = globalThis.Buffer;
globalThis.Buffer = nodes;

const ENCODINGS = ['utf8', 'latin1', 'hex', 'base64'] as const;

/** The result of `write` and the bytes of the buffer, as numbers, so that both kinds of buffers can be compared. */
function written(buffer: typeof Buffer, size: number, text: string, at: number): readonly number[] {
  const bytes = buffer.alloc(size);
  return [bytes.write(text, at, 'latin1'), ...bytes];
}

it('the Buffer of the console is not that of Node', () => {
  expect(browsers).not.toBe(nodes);
});

it('the Buffer of the console writes as much of a text as fits', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(40), fc.nat(40), (text, size, before) => {
      const at = Math.min(before, size);
      expect(written(browsers, size, text, at)).toEqual(written(nodes, size, text, at));
    }),
  );
});

it('the Buffer of the console converts between texts and bytes in each encoding', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.constantFrom(...ENCODINGS), (bytes, encoding) => {
      const text = nodes.from(bytes).toString(encoding);
      expect(browsers.from(bytes).toString(encoding)).toBe(text);
      expect([...browsers.from(text, encoding)]).toEqual([...nodes.from(text, encoding)]);
      expect(browsers.byteLength(text)).toBe(nodes.byteLength(text));
    }),
  );
});

it('the Buffer of the console joins parts', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (parts) => {
      expect([...browsers.concat(parts)]).toEqual([...nodes.concat(parts)]);
    }),
  );
});
