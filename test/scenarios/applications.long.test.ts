/** A day of the device types and builds that do not run for each change. */
import { describe, it } from 'vitest';
import { ALL, ALWAYS, expectPasses, expectSameOverUdp } from './application-runs.js';

describe('the scenario of an application', () => {
  const others = Object.keys(ALL).filter((name) => !ALWAYS.includes(name));
  it.each(others)('of %s passes with the recorded digest', (name) => expectPasses(name));

  // One that reports, and one with events and large messages.
  it.each(['clime', 'serial'])('of %s has the same digest over UDP', (name) => expectSameOverUdp(name));
});
