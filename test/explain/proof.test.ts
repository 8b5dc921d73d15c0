/** Two random scenarios of `npm run prove explain`, repeated without the causes that explain names for slow downlinks. */
import { describe, expect, it } from 'vitest';
import { check } from '../../scripts/prove/explain/check.js';
import { drawScenario } from '../../scripts/prove/explain/draw.js';
import { failure, LEAST } from '../../scripts/prove/explain/index.js';

describe('random scenarios with faults', () => {
  it('have slow downlinks of which at least 95 % are fast without the causes that explain names', async () => {
    const checked = [];
    // Of the first six seeds, only these two have several slow downlinks.
    for (const seed of [2, 5]) checked.push(...(await check(drawScenario(seed))));
    const failed = checked.filter(({ held }) => !held);
    expect(checked.length).toBeGreaterThan(20);
    expect(failed.length, failed.map(failure).join('\n')).toBeLessThanOrEqual(checked.length * (1 - LEAST));
  }, 120_000);
});
