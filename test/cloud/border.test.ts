/**
 * The service behind a real nginx, if it is installed, with a configuration of docs/PROXY.md. `npm run border` installs the
 * programs, and tries all configurations.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemsBehind } from '../../scripts/border/behind-proxy.js';
import { programAt } from '../../scripts/border/programs.js';
import { makeCertificate, PROXIES } from '../../scripts/border/proxies.js';

const folder = mkdtempSync(join(tmpdir(), 'gf-border-'));
afterAll(() => rmSync(folder, { recursive: true }));

const isMissing = (...names: string[]) => names.some((name) => programAt(name) === undefined);

describe.each(PROXIES.filter(({ what }) => what.startsWith('nginx below a path as documented')))(
  'a service behind $what',
  (proxy) => {
    let ca = '';
    beforeAll(() => {
      if (!isMissing('openssl')) ca = makeCertificate(folder);
    });

    it.skipIf(isMissing(proxy.program, 'openssl'))(
      `has a console, an API and a documentation (needs ${proxy.program})`,
      async () => {
        expect(await problemsBehind(proxy, { folder, ca, webConsole: join('dist', 'web') })).toEqual([]);
      },
    );
  },
);
