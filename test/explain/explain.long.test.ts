/** Causes of slow downlinks that are rarer than those of explain.test.ts. */
import { describe, expect, it } from 'vitest';
import { defineScenario, explain, type FaultDefinition, run } from '../../src/index.js';
import { CLIME, expectFaultNamed, expectLastAcknowledgementLost, slowest } from './slowest.js';

describe('the cause of a slow downlink', () => {
  it.each<readonly [string, FaultDefinition]>([
    ['outage', { outage: 'both', from: '65m30s', until: '2h' }],
    ['service-restart', { 'service-restart': { away: '1h' }, from: '65m30s' }],
    ['store-unavailable', { 'store-unavailable': null, from: '65m30s', until: '2h' }],
    ['modem-failure', { 'modem-failure': 'mute', from: '65m30s', until: '2h', to: 'clime' }],
  ])('is the fault %s, with its name', expectFaultNamed);

  it('is a step with the effect of a fault', async () => {
    const fleet = [{ ...CLIME, config: { 'interval-report': 300 } }];
    const steps = [
      { at: '60m', radio: 'off' },
      { at: '65m', commands: ['info show'] },
      { at: '2h', radio: 'on' },
    ];
    const { causes, text } = await slowest({ fleet, steps });
    expect(causes).toEqual([{ kind: 'step', name: 'radio: off (clime-0001)' }]);
    expect(text).toContain('The cause is the step radio: off (clime-0001).');
  });

  it('is a step that has the effect of a fault and began when a condition held', async () => {
    const fleet = [{ ...CLIME, config: { 'interval-report': 300 } }];
    const steps = [
      { after: 'device.ready == fleet.devices', radio: 'off' },
      { at: '65m', commands: ['info show'] },
      { at: '2h', radio: 'on' },
    ];
    const { causes } = await slowest({ fleet, steps });
    expect(causes).toEqual([{ kind: 'step', name: 'radio: off (clime-0001)' }]);
  });

  it('is each of two overlapping faults: a step that switches the radio off, and the loss of the signal', async () => {
    const fleet = [{ ...CLIME, config: { 'interval-report': 300 } }];
    const steps = [
      { at: '60m', radio: 'off' },
      { at: '65m', commands: ['info show'] },
      { at: '2h', radio: 'on' },
    ];
    const { causes } = await slowest({ fleet, steps, faults: [{ 'no-signal': null, from: '63m', until: '2h' }] });
    expect(causes.map(({ name }) => name).sort()).toEqual(['no-signal', 'radio: off (clime-0001)']);
  });

  it('is not the interval if a configuration has shortened the interval before the downlink was queued', async () => {
    const fleet = [{ ...CLIME, config: { 'interval-report': 3600 } }];
    const steps = [
      { at: '20m', config: { 'interval-report': 300 } },
      { at: '150m', commands: ['info show'] },
    ];
    const faults = [{ outage: 'both', from: '140m', until: '3h' }];
    const { causes, type } = await slowest({ fleet, steps: steps.slice(1), faults });
    expect([type, causes.length]).toEqual(['shell', 2]);
    const short = defineScenario({ name: 'short', duration: '5h', settle: '30m', fleet, steps, faults });
    const result = await run(short);
    const shell = result.explanations?.find((each) => each.type === 'shell');
    expect((await explain(result, shell?.downlink ?? '')).causes).toEqual([{ kind: 'fault', name: 'outage' }]);
  });

  it('is the next report, with the interval that a configuration has set', async () => {
    const fleet = [{ ...CLIME, config: { 'interval-report': 300 } }];
    const steps = [
      { at: '20m', config: { 'interval-report': 3600 } },
      { at: '35m', commands: ['info show'] },
    ];
    const { causes } = await slowest({ fleet, steps });
    expect(causes).toEqual([{ kind: 'interval', name: 'next report (every 1h, no polls)' }]);
  });

  it('is the missing encoder of a device that was registered again and has not started since', async () => {
    const config = { 'interval-report': 600, 'interval-poll': 300 };
    const fleet = [{ name: 'control', profile: 'control', count: 1, config }];
    const steps = [
      { at: '1h', 'delete-device': null },
      { at: '70m', 'create-device': null },
      { at: '2h', downlink: { output_1_state: 0 } },
    ];
    const { causes, text } = await slowest({ fleet, steps });
    expect(causes).toEqual([{ kind: 'encoder', name: 'no encoder' }]);
    expect(text).toContain('A device uploads its encoder only when it starts');
  });

  it('is the late power-up of the device', async () => {
    const fleet = [{ ...CLIME, config: { 'interval-report': 300 }, boot: { from: '2h' } }];
    const { causes, waits } = await slowest({ fleet });
    expect(causes).toEqual([{ kind: 'power-on', name: 'not switched on yet' }]);
    expect(waits[0]?.what).toBe('not switched on yet');
  });

  it('is a fault that restarts the device each time before its start is complete', async () => {
    const fleet = [{ ...CLIME, config: { 'interval-report': 300 } }];
    const faults = [{ reboot: { every: '25s' }, from: '60m', until: '2h' }];
    const { causes, timeline } = await slowest({ fleet, faults });
    expect(causes).toEqual([{ kind: 'fault', name: 'reboot' }]);
    expect(timeline.some(({ what }) => what.includes('cut off by a restart (power)'))).toBe(true);
  });

  it.each<readonly [string, FaultDefinition]>([['loss 100%', { loss: '100%', from: '3672s', until: '3732s' }]])(
    'is %s if it lost the last acknowledgement, so that the cloud knew of the delivery only much later',
    expectLastAcknowledgementLost,
  );

  it('is the fault reboot, and not unknown, if an exchange failed while the device started after a restart', async () => {
    const { waits } = await slowest({
      network: { latency: '150ms..900ms' },
      faults: [{ reboot: { every: '48s' }, from: '64m', until: '100m' }],
    });
    const named = waits.map(({ what }) => what);
    expect(named).toContain('reboot');
    expect(named).not.toContain('unknown');
  });

  it('is the fault brown-out only if the device really had a brown-out', async () => {
    const faults = [{ 'brown-out': null, from: '64m', until: '3h' }];
    const weak = await slowest({ faults, fleet: [{ name: 'motion', profile: 'motion', count: 1 }] });
    expect(weak.causes.some(({ name }) => name.startsWith('brown-out'))).toBe(true);
    const enough = await slowest({ faults });
    expect(enough.causes.some(({ name }) => name.startsWith('brown-out'))).toBe(false);
  });

  it('is both the outage and the interval if each alone would have delayed the downlink', async () => {
    const fleet = [{ ...CLIME, config: { 'interval-report': 3600 } }];
    const faults = [{ outage: 'both', from: '60m', until: '90m' }];
    const { causes, text } = await slowest({ fleet, faults });
    expect(causes.map(({ kind }) => kind).sort()).toEqual(['fault', 'interval']);
    expect(text).toContain('Several causes came together');
  });

  it('is the missing encoder of the device type', async () => {
    // The cloud does not know yet that the device has no encoder, so it accepts the downlink.
    const fleet = [{ ...CLIME, config: { 'interval-report': 300 }, boot: { from: '5m' } }];
    const steps = [{ at: '1m', downlink: { output_1_state: 1 }, unknown: true }];
    const { causes, outcome, sooner } = await slowest({ fleet, steps });
    expect(outcome).toBe('pending');
    expect(causes).toEqual([{ kind: 'encoder', name: 'no encoder' }]);
    expect(sooner[0]?.change).toBe('as a shell downlink, which needs no encoder');
  });
});

describe('an explanation', () => {
  it('counts the exchanges and restarts of earlier downlinks as those of other downlinks, in waits and timeline', async () => {
    const { waits, took, timeline } = await slowest({
      fleet: [{ ...CLIME, config: { 'interval-report': 1200 } }],
      steps: [
        { at: '65m', commands: ['info show'] },
        { at: '3901s', config: { 'interval-sample': 120 } },
        { at: '3902s', config: { 'interval-sample': 180 } },
      ],
    });
    const times = new Map(waits.map(({ what, time }) => [what, time]));
    const [rest = 0, others = 0, exchange = 0] = [
      'next report (every 20m, no polls)',
      'other downlinks first',
      'exchange',
    ].map((what) => times.get(what));
    expect(rest + others + exchange).toBe(took);
    // `others` contains the command and the first configuration, whose restart takes at least half a minute. The restart for
    // the explained downlink itself counts as an exchange.
    expect(others).toBeGreaterThan(35_000);
    expect(exchange).toBeGreaterThan(30_000);
    expect(exchange).toBeLessThan(90_000);
    const texts = timeline.map(({ what }) => what);
    expect(texts.some((what) => what.startsWith('answer to another downlink: acknowledged'))).toBe(true);
    expect(texts.some((what) => what.startsWith('answer:'))).toBe(false);
    expect(texts.filter((what) => what.startsWith('the device starts (config)'))).toHaveLength(1);
    expect(texts.filter((what) => what.startsWith('the device starts (config of another downlink)'))).toHaveLength(1);
  });

  it('shows the pauses of the modem as rules of the firmware', async () => {
    const faults = [{ 'no-signal': null, from: '60m', until: '3h' }];
    const { timeline } = await slowest({ fleet: [{ ...CLIME, firmware: '3.5.5' }], faults });
    const rules = timeline.filter(({ kind }) => kind === 'rule').map(({ what }) => what);
    expect(rules.some((what) => what.startsWith('error of the modem: off, longer after each error'))).toBe(true);
    expect(rules.some((what) => what.includes('the modem is off until the next attach attempt'))).toBe(true);
  });
});
