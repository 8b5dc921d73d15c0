/** Two random scenarios of `npm run prove explain`, run again without the causes that explain names for slow downlinks. */
import { describe, expect, it } from 'vitest';
import { check } from '../../scripts/prove/explain/check.js';
import { drawScenario } from '../../scripts/prove/explain/draw.js';
import { failure } from '../../scripts/prove/explain/index.js';

describe('random scenarios with faults', () => {
  it('have slow downlinks that take exactly the time that explain says if they are run without the named causes', async () => {
    const checked = [];
    // Of the first six seeds, only these two have several slow downlinks.
    for (const seed of [2, 5]) checked.push(...(await check(drawScenario(seed))));
    expect(checked.filter(({ held }) => !held).map(failure)).toEqual([]);
    expect(checked.filter(({ refused }) => refused !== undefined)).toEqual([]);
    expect(checked.filter(({ predicted }) => predicted !== undefined).length).toBeGreaterThan(20);
  }, 120_000);
});
