import { expect, it } from 'vitest';
import { paceText } from '../../web/src/model/pace.js';

it('the header says how fast time passes, or why it does not', () => {
  const run = { now_ms: 1, speed: 60, paused: false };
  expect(paceText(run, false)).toBe('60 ×');
  expect(paceText(run, true)).toBe('60 times as fast as real time');
  expect(paceText({ ...run, speed: 1 }, false)).toBe('real time');
  expect(paceText({ ...run, paused: true }, false)).toBe('paused');
  expect(paceText({ ...run, now_ms: 0 }, false)).toBe('registering devices …');
});
