import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type * as Generator from 'openapi-typescript';
import { afterEach, expect, it } from 'vitest';
import { type Service, startService } from '../../../src/cloud/service.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { bundled } from '../../support/bundled.js';
import { QUIET } from '../../support/cloud.js';

/** `import` would take twice as long, because Node would search the whole compiler for the names of its exports. */
const generator: typeof Generator = createRequire(import.meta.url)('openapi-typescript');

const KEY = 'a-key-for-the-client';
const CLIENT = new URL('generated/client.ts', import.meta.url);
const OPTIONS = [
  ...['client.ts', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--types', 'node'],
  ...['--target', 'ES2022', '--lib', 'es2022', '--module', 'nodenext'],
];

let running: Service | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

it('a client generated from the OpenAPI document compiles, and works with the service', async () => {
  running = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: KEY },
    ...{ clock: new RealClock(), random: seededRandom('client'), trace: { emit: () => {} }, log: QUIET },
  });
  const document = await (await fetch(`${running.api}/v2/documentation/json`)).text();
  const types = generator.astToString(await generator.default(document, { silent: true }));
  expect(await problemsWith(types)).toEqual([]);

  // The type is stated here, because the project does not compile the file of the client.
  const { useService }: { useService(api: string, key: string): Promise<unknown> } = await import(bundled(CLIENT));
  expect(await useService(running.api, KEY)).toEqual({
    serials: ['2159017985'],
    state: 'pending',
    unknown: 404,
    misspelt: expect.stringContaining('did you mean "sort_by"'),
  });
}, 60_000);

/** Compiles the client with these types in a temporary folder; returns the messages of the compiler. */
async function problemsWith(types: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-client-'));
  try {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'api.d.ts'), types);
    copyFileSync(CLIENT, join(folder, 'client.ts'));
    const { stdout } = await promisify(execFile)(process.execPath, [resolve('node_modules/tsc/bin/tsc'), ...OPTIONS], {
      cwd: folder,
    }).catch((failed: { stdout: string }) => failed);
    return stdout.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
