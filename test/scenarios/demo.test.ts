/** The demo with a tenth of its devices. `npm run prove -- library` runs the whole demo, and compares its digest with README. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runScenario } from '../../src/index.js';
import { waitDisagreements } from '../support/agreement.js';

it('the demo passes with a tenth of its devices, and explains every wait as its tables do', async () => {
  const whole = readFileSync('scenarios/demo.yaml', 'utf8');
  const small = whole.replaceAll(/(count: \d+|downlink\.queued == \d+)0$/gm, '$1');
  expect(small.length).toBe(whole.length - 4);
  const result = await runScenario(small);
  expect(result).toMatchObject({ passed: true, fleet: { devices: 30 } });
  expect(waitDisagreements(result)).toEqual([]);
});
