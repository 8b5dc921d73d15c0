/** Handshake messages: their fragments in records, and their order. */
import { describe, expect, it } from 'vitest';
import { encodeMessage, type Fragment, fragmentsIn } from '../../../src/protocol/dtls/handshake.js';
import { Inbox } from '../../../src/protocol/dtls/inbox.js';

const MESSAGE = { type: 11, sequence: 3, body: Uint8Array.of(1, 2, 3) };

/** A fragment of a message of three bytes; by default the whole message. */
function fragment(values: Partial<Fragment> = {}): Fragment {
  return { type: 11, length: 3, sequence: 0, offset: 0, part: Uint8Array.of(1, 2, 3), ...values };
}

describe('the fragments in a record', () => {
  it('are read up to a fragment that is cut off, at whichever byte', () => {
    const whole = Buffer.concat(encodeMessage(MESSAGE));
    for (let length = 1; length < whole.length; length++) {
      const fragments = fragmentsIn(Buffer.concat([whole, whole.subarray(0, length)]));
      expect(fragments).toMatchObject([{ sequence: 3, length: 3 }]);
    }
  });

  it('are read up to a fragment that reaches beyond its message', () => {
    const parts = encodeMessage(MESSAGE, 12 + 2);
    const [first, second] = parts;
    const beyond = Uint8Array.from(second ?? []);
    // The fragment now begins after the last byte of the message.
    beyond[8] = 3;
    expect(fragmentsIn(Buffer.concat(parts))).toHaveLength(2);
    expect(fragmentsIn(Buffer.concat([first ?? beyond, beyond, second ?? beyond]))).toHaveLength(1);
  });
});

describe('an inbox', () => {
  it('returns messages in order, even if they arrive in another order', () => {
    const inbox = new Inbox(0);
    for (const sequence of [2, 1]) inbox.put(fragment({ sequence }));
    expect(inbox.take()).toBeUndefined();
    inbox.put(fragment({ sequence: 0 }));
    expect([0, 1, 2, 3].map(() => inbox.take()?.sequence)).toEqual([0, 1, 2, undefined]);
  });

  it('keeps messages of up to 1024 bytes, the expected one and three after it', () => {
    const inbox = new Inbox(10);
    for (let sequence = 8; sequence < 20; sequence++) {
      for (const length of [1025, 1024]) inbox.put(fragment({ sequence, length }));
    }
    expect(inbox.size).toBe(4 * 1024);
  });

  it('keeps nothing of a message that was taken', () => {
    const inbox = new Inbox(0);
    inbox.put(fragment());
    inbox.take();
    inbox.put(fragment());
    expect(inbox.size).toBe(0);
  });

  it.each([
    ['type', { type: 12, offset: 1, part: Uint8Array.of(7, 7) }],
    ['length', { length: 4, offset: 1, part: Uint8Array.of(7, 7, 7) }],
  ])('ignores a fragment with another %s than the one before', (_, other) => {
    const inbox = new Inbox(0);
    inbox.put(fragment({ part: Uint8Array.of(1) }));
    inbox.put(fragment(other));
    expect(inbox.take()).toBeUndefined();
    inbox.put(fragment({ offset: 1, part: Uint8Array.of(2, 3) }));
    expect(inbox.take()).toEqual({ ...MESSAGE, sequence: 0 });
  });
});
