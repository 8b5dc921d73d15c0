/** The demo, which README shows. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runScenario } from '../../src/index.js';
import { waitDisagreements } from '../support/agreement.js';

it('the demo passes, with the digest in README, and explains every wait as its tables do', async () => {
  const shown = /^demo · .*digest ([0-9a-f]{16})/m.exec(readFileSync('README.md', 'utf8'))?.[1];
  const result = await runScenario('scenarios/demo.yaml');
  expect(result).toMatchObject({ passed: true, digest: shown });
  expect(waitDisagreements(result)).toEqual([]);
});
