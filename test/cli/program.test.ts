/** The built program, where most other tests run the sources. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isBuiltin } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { program, rejectPackagesOnDemand } from '../../scripts/support/program.js';
import { folderOfTest } from '../support/folder-of-test.js';

it('the built program delivers messages through a connector', async () => {
  const bodies: string[] = [];
  const target = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (part) => bodies.push(part));
    request.on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(target, 'listening');
  const file = join(folderOfTest(), 'webhook.yaml');
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  writeFileSync(
    file,
    `name: webhook
duration: 5m
cloud: { allow-private: true }
setup:
  - tag: { name: all-doors }
  - connector:
      name: forward
      tags: [all-doors]
      triggers: [session]
      script: "function main(job) { return { url: '${url}', data: job.message.type } }"
fleet:
  - { name: door, profile: push, count: 1, tags: [all-doors] }
`,
  );
  try {
    await promisify(execFile)(process.execPath, [program(), 'run', file, '--allow-private']);
  } finally {
    target.close();
  }
  expect(bodies).toEqual(['session']);
});

it('the built program and its threads find each package but better-sqlite3 in their own files', () => {
  const folder = dirname(program());
  const modules = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  const named = modules.flatMap((name) => [
    ...readFileSync(join(folder, name), 'utf8').matchAll(/^(?:import [^"\n]*|\} from )"([^."\n][^"\n]*)";$/gm),
  ]);
  const packages = new Set(named.map(([, name = '']) => name).filter((name) => !isBuiltin(name)));
  expect([...packages]).toEqual(['better-sqlite3']);
});

it('the built program serves the page of the API with its scripts and styles', async () => {
  // In a process of its own, because a test would import the modules of the program in another form.
  const script = `
    const { startService } = await import('${pathToFileURL(join(dirname(program()), 'index.mjs'))}');
    const service = await startService();
    const page = new URL('/v2/documentation/', service.api);
    const html = await (await fetch(page)).text();
    for (const [, path] of html.matchAll(/(?:src|href)="(.\\/static\\/[^"]+)"/g)) {
      const answer = await fetch(new URL(path, page));
      console.log(path.split('/').at(-1), answer.status, (await answer.arrayBuffer()).byteLength > 100);
    }
    await service.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(stdout.trim().split('\n').sort()).toEqual([
    'favicon.svg 200 true',
    'index.css 200 true',
    'swagger-initializer.js 200 true',
    'swagger-ui-bundle.js 200 true',
    'swagger-ui-standalone-preset.js 200 true',
    'swagger-ui.css 200 true',
  ]);
});

it('a build ends with an error if a source imports a bundled package with import()', () => {
  const source = (path: string, external = false) => ({
    bytes: 1,
    imports: [{ path, kind: 'dynamic-import' as const, external }],
  });
  const inputs = {
    'src/cloud/a.ts': source('../elsewhere/node_modules/undici/index.js'),
    'src/cloud/b.ts': source('src/cloud/c.ts'),
    'src/cloud/c.ts': source('@fastify/swagger-ui', true),
    'node_modules/pg/index.js': source('node_modules/pg-types/index.js'),
  };
  expect(() => rejectPackagesOnDemand(inputs)).toThrow(
    'src/cloud/a.ts imports node_modules/undici/index.js with import()\nimport the package statically in a file of its own',
  );
});
