/**
 * Runs a day of every device type: boot, report, poll, config, shell, data, alarm, outage and recovery. The run is the same in
 * memory and over UDP. Three device types suffice to show this, because the transport does not depend on the device type.
 *
 * The digest of an application changes with every change in the behaviour of its device. If a change is intended, first check
 * the golden dialogue (test/golden), then enter the new digest in application-runs.ts.
 */
import { describe, expect, it } from 'vitest';
import { ALL, ALWAYS, expectPasses, expectSameOverUdp, profiles } from './application-runs.js';

describe('the scenario of an application', () => {
  it('exists for every device type', () => {
    expect(Object.keys(ALL).sort()).toEqual([...profiles.keys()].sort());
  });

  it.each(ALWAYS)('of %s passes with the recorded digest', (name) => expectPasses(name));

  it('of control has the same digest over UDP', () => expectSameOverUdp('control'));
});
