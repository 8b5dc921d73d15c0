/** The demo, which README shows. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runScenario } from '../../src/index.js';

it('the demo passes, with the digest in README', async () => {
  const shown = /^demo · .*digest ([0-9a-f]{16})/m.exec(readFileSync('README.md', 'utf8'))?.[1];
  expect(await runScenario('scenarios/demo.yaml')).toMatchObject({ passed: true, digest: shown });
});
