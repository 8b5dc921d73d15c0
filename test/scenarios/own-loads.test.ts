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

it('a run ends although a chain thinks for longer than the time to settle; the iteration stays open', async () => {
  const { iterations, exitCode } = await runText(`
name: thinking
duration: 3m
settle: 1m
fleet: [{ name: clime, profile: clime, count: 1 }]
load: [{ name: slow, rate: 1/m, chain: [{ get: "/v2/spaces/{space}/tags", think: 1h }, { get: "/v2/spaces/{space}/tags" }] }]
`);
  expect(exitCode).toBe(0);
  expect(iterations?.slow).toMatchObject({ planned: 3, done: 0, open: 3 });
});
