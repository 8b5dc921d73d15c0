/**
 * `npm run api`: writes docs/api/ghostfleet.api.md from the sources. With `-- --check`, the command writes nothing, and fails if
 * the public surface of the package differs from the file.
 */
import { apiReport } from './report.js';

const checks = process.argv.includes('--check');
const changed = await apiReport(!checks);
const outdated = 'the exports have changed: run "npm run api", and review the change of the file';
process.stdout.write(`docs/api/ghostfleet.api.md: ${!changed ? 'up to date' : checks ? outdated : 'written'}\n`);
if (checks && changed) process.exitCode = 1;
