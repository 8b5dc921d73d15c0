/** `npm run api`: writes docs/api/ghostfleet.api.md from the sources. */
import { apiReport } from './report.js';

const changed = await apiReport(true);
process.stdout.write(`docs/api/ghostfleet.api.md: ${changed ? 'written' : 'up to date'}\n`);
