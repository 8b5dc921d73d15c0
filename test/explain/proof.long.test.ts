/** A random scenario of `npm run prove explain`, run again without the causes that explain names for slow downlinks. */
import { describe, expect, it } from 'vitest';
import { check } from '../../scripts/prove/explain/check.js';
import { drawScenario } from '../../scripts/prove/explain/draw.js';
import { failure } from '../../scripts/prove/explain/index.js';

describe('a random scenario with faults', () => {
  it('has slow downlinks that take exactly the time that explain says if it is run without the named causes', async () => {
    // Of the first six seeds, this one has the most slow downlinks.
    const checked = await check(drawScenario(5));
    expect(checked.filter(({ held }) => !held).map(failure)).toEqual([]);
    expect(checked.filter(({ refused }) => refused !== undefined)).toEqual([]);
    expect(checked.filter(({ predicted }) => predicted !== undefined).length).toBeGreaterThan(15);
  }, 120_000);
});
