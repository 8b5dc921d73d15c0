/** The contract of a kind of faults (scenario/faults/kind.ts), for every kind of the index. */
import { describe, expect, it } from 'vitest';
import { NoiseStream } from '../../src/kernel/random.js';
import { withoutEffect } from '../../src/runner/no-effect.js';
import {
  datagramsOf,
  describeFault,
  FAULT_NAMES,
  FAULTS,
  type FaultName,
  isOnce,
  kindOf,
} from '../../src/scenario/faults/index.js';
import type { FaultKind } from '../../src/scenario/faults/kind.js';
import type { Plan, PlannedFault } from '../../src/scenario/model/plan.js';
import type { Delivery } from '../../src/transport/faults/fault.js';
import { problemsOf, yamlOf } from '../scenario/fixtures.js';
import { planWith, profiles } from './fault-plan.js';

function faultIn(plan: Plan): PlannedFault {
  const [fault, ...others] = plan.faults;
  if (fault === undefined || others.length > 0) throw new Error('the plan does not have exactly one fault');
  return fault;
}

/** Kinds that never get a warning, each with the reason. */
const ALWAYS_EFFECTIVE: Partial<Record<FaultName, string>> = {
  reboot: 'a power cycle switches a device on before its planned start',
};

describe.each(FAULT_NAMES)('the fault %s', (name) => {
  const kind = FAULTS[name] as Pick<FaultKind<never>, Exclude<keyof FaultKind<never>, 'check'>>;
  const { part, example } = kind;

  it('has an example for a scenario, and words that begin with its name', () => {
    const fault = faultIn(planWith(`{ ${example} }`));
    expect(fault).toMatchObject({ id: 'fault-1', kind: name, to: null, devices: null, windows: [{ from: 0 }] });
    expect(JSON.parse(JSON.stringify(fault))).toEqual(fault);
    expect(describeFault(fault)).toMatch(new RegExp(`^${name}([ ,]|$)`));
  });

  it('rejects options that it does not have', () => {
    const head = `name: test\nduration: 2h\nfaults:\n  - { ${name}: [1] }\n`;
    expect(problemsOf(yamlOf({ head }))).toHaveLength(1);
  });

  it('has the behaviour of its part', () => {
    const { datagrams, service, steps, effect } = kind;
    expect({ network: datagrams, service, device: steps }[part]).toBeDefined();
    if (part === 'device') expect([datagrams, service, effect]).toEqual([undefined, undefined, undefined]);
    else expect(steps).toBeUndefined();
  });

  it('causes an event with each datagram that it changes, or none at all', () => {
    const fault = datagramsOf(faultIn(planWith(`{ ${example} }`)));
    if (fault === undefined) return expect(part).not.toBe('network');
    const draws = new NoiseStream(1);
    const results = Array.from({ length: 1000 }, (_, i) => {
      const delivery: Delivery = { size: 40 + (i % 400), now: 0, freeAt: 0, damage: undefined };
      const verdict = [1];
      const isEvent = fault.strike(verdict, draws, delivery);
      return { isEvent, isChanged: verdict.length !== 1 || verdict[0] !== 1 || delivery.damage !== undefined };
    });
    expect(results.some(({ isChanged }) => isChanged)).toBe(true);
    const events = results.filter(({ isEvent }) => isEvent);
    expect(events).toEqual(fault.sign === null ? [] : results.filter(({ isChanged }) => isChanged));
  });

  it('gets a warning if it is over before the device is switched on', () => {
    const call = faultIn(planWith(`{ ${example} }`));
    const hasEnd = !isOnce(call) && kindOf(call).duration === undefined;
    const warnings = withoutEffect(
      planWith(`{ ${example}, from: 10m${hasEnd ? ', until: 20m' : ''} }`, '30m'),
      profiles,
    );
    const isSilent = part === 'service' || ALWAYS_EFFECTIVE[name] !== undefined;
    const sentence = expect.stringContaining(`fault ${describeFault(call)}`);
    expect(warnings.filter((line) => line.startsWith('fault'))).toEqual(isSilent ? [] : [sentence]);
  });
});
