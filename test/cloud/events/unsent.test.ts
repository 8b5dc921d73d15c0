/** Bytes of events that slow clients keep in memory. */
import { expect, it } from 'vitest';
import { Unsent } from '../../../src/cloud/events/unsent.js';

const MB = 1024 * 1024;

it('an event that many clients of a tenant receive counts once', () => {
  const unsent = new Unsent();
  const event = Buffer.alloc(MB);
  const held = Array.from({ length: 200 }, () => unsent.hold('ann', event));
  expect(held).not.toContain(undefined);
});

it('a tenant may have 16 MiB that its clients have not received; other tenants have their own', () => {
  const unsent = new Unsent();
  const held = Array.from({ length: 16 }, () => unsent.hold('ann', Buffer.alloc(MB)));
  expect(unsent.hold('ann', Buffer.alloc(1))).toBeUndefined();
  expect(unsent.hold('bob', Buffer.alloc(1))).toBeDefined();
  held[0]?.();
  expect(unsent.hold('ann', Buffer.alloc(MB))).toBeDefined();
});
