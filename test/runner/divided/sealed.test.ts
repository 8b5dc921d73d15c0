/** A task is the part of a run for one worker. In the queue, it is encrypted with the API key of the run. */
import { expect, it } from 'vitest';
import { queueMatrix } from '../../../scripts/security/authorization/queue.js';
import { seal, unseal } from '../../../src/runner/divided/queue/sealed.js';

const task = { plan: { devices: [{ claimToken: 'c1a1'.repeat(8) }] }, tags: new Map([['cold', 'id']]) };

it('a task can be opened with the API key of its run', () => {
  expect(unseal(seal(task, 'the key', 'run 1'), 'the key', 'run 1')).toEqual(task);
});

it.each([
  ['with another key', 'another key', 'run 1'],
  ['as the task of another run', 'the key', 'run 2'],
])('a sealed task cannot be opened %s', (_, key, run) => {
  expect(unseal(seal(task, 'the key', 'run 1'), key, run)).toBeUndefined();
});

it('a task that was changed in the queue cannot be opened', () => {
  const sealed = Buffer.from(seal(task, 'the key', 'run 1'));
  sealed[40] = (sealed[40] ?? 0) ^ 1;
  expect(unseal(sealed, 'the key', 'run 1')).toBeUndefined();
});

it('claim tokens cannot be read in a sealed task', () => {
  expect(Buffer.from(seal(task, 'the key', 'run 1')).includes('c1a1')).toBe(false);
});

it('a task or message is read only at the place for which the owner of the key has sealed it', () => {
  const { checks, failures } = queueMatrix();
  expect(failures).toEqual([]);
  expect(checks).toBeGreaterThan(5000);
});
