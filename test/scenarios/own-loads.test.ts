/** The packaged scenario with chains of requests: its users find what they look for, and equal runs are equal. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runText } from '../runner/run-text.js';

it('all chains of own-loads succeed, and a second run has the same events', async () => {
  const text = readFileSync('scenarios/own-loads.yaml', 'utf8');
  const [first, second] = [await runText(text), await runText(text)];
  expect(first.expectations.filter(({ passed }) => !passed)).toEqual([]);
  expect(first.iterations).toMatchObject({ dashboard: { failed: 0, open: 0 }, editors: { failed: 0, open: 0 } });
  expect(second.digest).toBe(first.digest);
});
