import { expect, it } from 'vitest';
import { surviveKills } from '../../scripts/chaos/kills.js';

// The short form of `npm run chaos`.
it('a service that is killed repeatedly neither loses nor doubles nor reorders acknowledged messages', async () => {
  const { held, detail } = await surviveKills({ store: 'sqlite', kills: 2, nodes: 1 });
  expect(detail).toContain('0 lost, 0 doubled, 0 altered, 0 reordered');
  expect(held).toBe(true);
});
