/** Further tests beside find-scenario.test.ts. */
import { describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

describe('a packaged scenario', () => {
  it('is validated and run by its name', async () => {
    expect(await ghostfleet(['validate', 'demo'])).toMatchObject({ exit: 0, out: 'demo: valid\n' });
    const { exit, out } = await ghostfleet(['run', 'two-firmwares', '--var', 'loggers=8']);
    expect([exit, out]).toEqual([0, expect.stringContaining('ghostfleet run two-firmwares ')]);
  });
});
