/** The public surface of the package: a change of an export must also change docs/api/ghostfleet.api.md. */
import { expect, it } from 'vitest';
import { apiReport } from '../../scripts/api/report.js';

it('the public surface is that of docs/api/ghostfleet.api.md, which npm run api updates', async () => {
  expect(await apiReport(false)).toBe(false);
}, 300_000);
