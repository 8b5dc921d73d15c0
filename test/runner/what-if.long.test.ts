/** Repetitions of runs whose devices are connected, and of runs in real time. */

import { describe, expect, it } from 'vitest';
import { Histories } from '../../src/explain/histories.js';
import { RunExplainer } from '../../src/explain/run-explainer.js';
import { defineScenario, explain, run, type ScenarioDefinition } from '../../src/index.js';
import { DownlinkRepeats } from '../../src/runner/repeats.js';
import { isRefused, WhatIf } from '../../src/runner/what-if.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { planOf, profiles, repeated, STEPS } from './repeated.js';

/** A step that waits for another one connects the devices of the fleet. */
const CONNECTED = { steps: [...STEPS, { after: 'downlink.answered >= 3', commands: ['app config'] }] };

describe('a device that is repeated', () => {
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
});

describe('an explanation', () => {
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
    expect(explanation?.simulated?.time).toBe(explanation?.took);
    expect(explanation?.sooner[0]?.change).toBe('without outage (clime/1)');
    expect(explanation?.text).toMatch(
      /In a simulation of the same plan it would have taken .*, and without outage .* it would have taken /,
    );
  });

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
});
