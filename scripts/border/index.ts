/**
 * `npm run border [-- proxies databases]`: the service at its border with real programs. Installs nginx, haproxy, PgBouncer and
 * PostgreSQL from Debian, and runs them on the loopback interface. Where they cannot be installed, the checks are skipped with
 * the reason. The tests run the same checks with the programs that are installed (test/border.test.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runByName, type Verdict } from '../support/proof.js';
import { problemsBehind } from './behind-proxy.js';
import { databases } from './databases.js';
import { install } from './programs.js';
import { makeCertificate, PROXIES } from './proxies.js';

const WEB = join('dist', 'web');

const missing = install();
if (missing !== undefined) {
  console.log(`skipped: nginx, haproxy, PgBouncer and PostgreSQL cannot be installed: ${missing}`);
  process.exit(0);
}
await runByName('check', [
  { name: 'proxies', run: proxies },
  { name: 'databases', run: databases },
]);

async function proxies(): Promise<readonly Verdict[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-border-'));
  try {
    const ca = makeCertificate(folder);
    const verdicts: Verdict[] = [];
    for (const proxy of PROXIES) {
      const problems = await problemsBehind(proxy, { folder, ca, webConsole: WEB });
      const detail = problems.length === 0 ? 'sign-in, pages, documentation, cookies' : problems.join('\n     ');
      verdicts.push({ what: proxy.what, held: problems.length === 0, detail });
    }
    return verdicts;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
