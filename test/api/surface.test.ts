/** The public surface of the package: an export that changes has to change docs/api/ghostfleet.api.md as well. */
import { expect, it } from 'vitest';
import { apiReport } from '../../scripts/api/report.js';

it('the public surface is the one of docs/api/ghostfleet.api.md; npm run api updates it', () => {
  expect(apiReport(false)).toBe(false);
}, 300_000);
