/** The built program, where most other tests run the sources. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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
