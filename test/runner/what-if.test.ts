/** Repetitions of a run with something changed. */
import { describe, expect, it } from 'vitest';
import { Histories } from '../../src/explain/histories.js';
import { RunExplainer } from '../../src/explain/run-explainer.js';
import { defineScenario, explain, run, type ScenarioDefinition, whatIf } from '../../src/index.js';
import { hours } from '../../src/kernel/time.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { getWhatIf } from '../../src/runner/explainers.js';
import { DownlinkRepeats } from '../../src/runner/repeats.js';
import type { PlanChange } from '../../src/runner/shared-worlds.js';
import { isRefused, type RepeatedDevice, WhatIf } from '../../src/runner/what-if.js';
import type { TraceEvent } from '../../src/trace/events.js';

const FLEET = [{ name: 'clime', profile: 'clime', count: 3, config: { 'interval-report': 300 } }];
const OUTAGE = [{ outage: 'both', from: '66m', until: '80m', to: 'clime/1' }];
const STEPS = [{ at: '65m', commands: ['info show'] }];
const CLOUD = { rateLimit: null, expireDownlinks: null, retainMessages: null };
const profiles = packagedProfiles();

function planOf(change: Partial<ScenarioDefinition> = {}) {
  return defineScenario({ name: 'repeated', duration: '2h', fleet: FLEET, faults: OUTAGE, steps: STEPS, ...change });
}

const CALM: PlanChange = { key: 'calm', without: new Set(['fault-1']), apply: (plan) => plan };

const REPEATED = new Map<string, ReturnType<typeof repeat>>();

/** Runs a plan; returns the repetitions of its first device without a change, and without its outage. Tests share them. */
function repeated(change: Partial<ScenarioDefinition> = {}): ReturnType<typeof repeat> {
  const key = JSON.stringify(change);
  const made = REPEATED.get(key) ?? repeat(change);
  REPEATED.set(key, made);
  return made;
}

async function repeat(change: Partial<ScenarioDefinition>) {
  const plan = planOf(change);
  const events: TraceEvent[] = [];
  const result = await run(plan, { watch: { take: (event: TraceEvent) => void events.push(event) } } as object);
  const serial = plan.devices[0]?.serial ?? 0;
  const repetitions = getWhatIf(result);
  if (repetitions === undefined) throw new Error('the run cannot be repeated');
  const [same, calm] = [await repetitions.repeatDevice(serial), await repetitions.repeatDevice(serial, CALM)];
  return { plan, serial, result, same, calm };
}

function faults(answer: RepeatedDevice | { readonly refused: string }): number {
  if (isRefused(answer)) throw new Error(answer.refused);
  return answer.history.events.filter(({ kind }) => kind === 'net.fault').length;
}

/** A step that waits for another one connects the devices of the fleet. */
const CONNECTED = { steps: [...STEPS, { after: 'downlink.answered >= 3', commands: ['app config'] }] };

describe('a device that is repeated', () => {
  it('has the same events without a change, and others without the fault', async () => {
    const { same, calm } = await repeated();
    expect(faults(same)).toBeGreaterThan(0);
    expect(faults(calm)).toBe(0);
  });

  it.each<readonly [string, Partial<ScenarioDefinition>]>([
    ['that a wait connects', CONNECTED],
    ['with a load', { load: [{ commands: ['info show'], rate: '1/m', from: '10m', until: '90m', to: 'clime' }] }],
  ])('has in a fleet %s the events of a run of the changed scenario', async (_, change) => {
    const { calm, serial } = await repeated(change);
    const events: TraceEvent[] = [];
    const watch = { take: (event: TraceEvent) => void events.push(event) };
    await run(planOf({ ...change, faults: [] }), { watch } as object);
    const own = events.filter((event) => 'serial' in event && event.serial === serial);
    expect(isRefused(calm) ? calm.refused : calm.history.events.filter((event) => 'serial' in event)).toEqual(own);
  });

  it('of a connected fleet has shorter intervals alone, although the whole fleet is repeated', async () => {
    const { result } = await repeated(CONNECTED);
    const often = async (index: number) => {
      const { serial, id } = result.downlinks.slowest.filter(({ type }) => type === 'shell')[index] ?? {
        serial: 0,
        id: '',
      };
      const { sooner } = await explain(result, id, 0);
      return [serial, sooner.find(({ change }) => change === 'with interval-poll 60')?.time];
    };
    const [[one, first], [other, second]] = [await often(0), await often(1)] as const;
    expect(one).not.toBe(other);
    expect(first).not.toBe(second);
    expect([first, second].every((time) => time !== undefined && time < 120_000)).toBe(true);
  });

  it('is refused if its fleet is connected and too large to be repeated for the sake of one device', async () => {
    const { plan, serial, result } = await repeated();
    const long = { ...plan, cloud: { ...CLOUD, rateLimit: 60 }, duration: hours(4000) };
    const repetitions = WhatIf.ofPlan(long, profiles);
    expect(await repetitions.repeatDevice(serial)).toEqual({
      refused: 'its devices depend on each other, and they are too many',
    });
    expect(result.passed).toBe(true);
  });
});

describe('an explanation', () => {
  it('says exactly how long the downlink takes without a fault, even if several rules of the firmware follow it', async () => {
    const fleet = [{ name: 'clime', profile: 'clime', count: 1, config: { 'interval-report': 3600 } }];
    const scenario = (faults: ScenarioDefinition['faults']) =>
      defineScenario({
        ...{ name: 'exact', duration: '13h', fleet, steps: [{ at: '70m', commands: ['info show'] }] },
        ...(faults && { faults }),
      });
    const signal = { 'no-signal': null, from: '60m', until: '3h' };
    const result = await run(scenario([signal, { outage: 'both', from: '3h', until: '8h' }]));
    const without = await run(scenario([signal]));
    const { sooner } = await explain(result, result.downlinks.slowest[0]?.id ?? '');
    const remedy = sooner.find(({ change }) => change === 'without outage');
    expect(remedy?.time).toBe(without.downlinks.slowest[0]?.total);
    // 2 h 54 min 49 s: the modem pauses for an hour after its attach windows.
    expect(Math.floor((remedy?.time ?? 0) / 1000)).toBe(2 * 3600 + 54 * 60 + 49);
  });

  it('finds the downlink again although its id follows a restart of the service, and an earlier one was rejected', async () => {
    const scenario = (faults: ScenarioDefinition['faults']) =>
      defineScenario({
        ...{ name: 'restarted', duration: '4h', fleet: [{ name: 'clime', profile: 'clime', count: 1 }] },
        steps: ['73m', '143m'].map((at) => ({ at, commands: ['info show'] })),
        ...(faults && { faults }),
      });
    const signal = { 'no-signal': null, from: '133m', until: '182m' };
    const result = await run(scenario([{ 'service-restart': { away: '68m' }, from: '71m' }, signal]));
    const without = await run(scenario([signal]));
    const [late] = result.downlinks.slowest;
    const same = without.downlinks.slowest.find(({ queuedAt }) => queuedAt === late?.queuedAt);
    expect(late?.id).not.toBe(same?.id);
    const { downlinks } = await whatIf(result, { of: late?.id ?? '', without: ['service-restart'] });
    expect(downlinks.map(({ after }) => after?.took)).toEqual([same?.total]);
  });

  it('of a run in real time simulates its plan, and says so', async () => {
    const plan = planOf();
    const histories = new Histories();
    const { planned, names, downlinks } = await run(plan, { watch: histories } as object);
    const repetitions = WhatIf.ofRun({
      plan,
      profiles,
      transport: 'memory',
      end: plan.duration,
      isExact: false,
      histories,
    });
    const repeats = new DownlinkRepeats(repetitions, planned);
    const explainer = new RunExplainer(histories, names, { situation: planned, repeats });
    const explanation = await explainer.explainDownlink(downlinks.slowest[0]?.id ?? '');
    expect(explanation?.simulated).toBe(explanation?.took);
    expect(explanation?.sooner[0]?.change).toBe('without outage (clime/1)');
    expect(explanation?.text).toMatch(/In a simulation of the same plan it takes .*, and .* without outage/);
  });
});
