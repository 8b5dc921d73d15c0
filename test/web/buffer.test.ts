/** The protocol with the `Buffer` of the console instead of Node's, as on the page of the inspector. */
import fc from 'fast-check';
import { expect, it } from 'vitest';

const nodes = globalThis.Buffer;
await import('../../web/src/platform/buffer.js');
const browsers = globalThis.Buffer;
// After the import above, as in the console: some modules of the protocol create buffers when they are loaded.
const { decodeCbor } = await import('../../src/protocol/cbor.js');
const { hasValidTag, open, tokenBytes } = await import('../../src/protocol/flap/envelope.js');
const { codecHash, contentFingerprint, toHex } = await import('../../src/protocol/hashes.js');
const { parseDown, parseUp } = await import('../../src/protocol/messages/index.js');
globalThis.Buffer = nodes;

/** Everything that the inspector reads from bytes. */
function readWith(buffer: typeof Buffer, bytes: Uint8Array): readonly unknown[] {
  globalThis.Buffer = buffer;
  try {
    const envelope = open(bytes, 'raw');
    return [
      toHex(bytes),
      contentFingerprint(bytes),
      codecHash(bytes),
      envelope?.packet,
      envelope && hasValidTag(envelope, tokenBytes('00112233445566778899aabbccddeeff')),
      ...[parseUp, parseDown, decodeCbor].map((read) => resultOf(() => read(bytes))),
    ];
  } finally {
    globalThis.Buffer = nodes;
  }
}

/** The value as JSON, so that both kinds of `Buffer` compare; or the error. */
function resultOf(read: () => unknown): string {
  try {
    return JSON.stringify(read(), (_, value) => {
      if (typeof value === 'bigint') return `${value}n`;
      return value instanceof Uint8Array ? Array.from(value) : value;
    });
  } catch (error) {
    return String(error);
  }
}

it('replaces the Buffer of Node', () => {
  expect(browsers).not.toBe(nodes);
});

it('reads the same from any bytes as the Buffer of Node', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
      expect(readWith(browsers, bytes)).toEqual(readWith(nodes, bytes));
    }),
  );
});
