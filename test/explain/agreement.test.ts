/** Explanations divide the time of a downlink as the tables of the run do. */
import { describe, expect, it } from 'vitest';
import { findDisagreements } from '../../src/explain/agreement.js';
import { Histories } from '../../src/explain/histories.js';
import { RunExplainer } from '../../src/explain/run-explainer.js';
import { getDownlinks, getExplainer } from '../../src/runner/explainers.js';
import { dispatchTo } from '../../src/trace/dispatch.js';
import type { DownlinkRecord } from '../../src/trace/downlinks/ledger.js';
import { DownlinkLedger } from '../../src/trace/downlinks/ledger.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { waitDisagreements } from '../support/agreement.js';
import { commands, play } from './agreement-run.js';

describe('an explanation', () => {
  it('agrees with the tables that a device whose report an outage stops does not rest', async () => {
    const result = await play({
      ...{ duration: '2h', seed: 3, network: { latency: '150ms..900ms' } },
      fleet: [{ name: 'node', profile: 'hio-node', count: 1 }],
      faults: [{ outage: 'both', from: '60m', until: '70m' }],
      steps: [{ at: '65m', commands: ['info show'] }],
    });
    const [record] = getDownlinks(result) ?? [];
    expect(record?.waits).toMatchObject({ asleep: 0 });
    expect(waitDisagreements(result)).toEqual([]);
    const waits = getExplainer(result)?.divide(record?.serial ?? 0, record?.id ?? '')?.waits ?? [];
    expect(waits.map(({ what }) => what)).toEqual(['outage', 'exchange']);
  });

  it('counts the sleep after a poll that found nothing as a wait for the next contact', async () => {
    const result = await play({
      fleet: [
        { name: 'control', profile: 'control', count: 2, config: { 'interval-report': 3600, 'interval-poll': 300 } },
      ],
      steps: commands(15, 427),
    });
    const differing = [...(getDownlinks(result) ?? [])].filter(({ serial, id, waits }) => {
      const exchange =
        getExplainer(result)
          ?.divide(serial, id)
          ?.waits.find(({ what }) => what === 'exchange')?.time ?? 0;
      return exchange !== waits.radio + waits.transfer + waits.service + waits.device;
    });
    expect(differing).toEqual([]);
  });

  it('agrees with the tables if the events of another cloud come after later events of the device', () => {
    const histories = new Histories();
    const ledger = new DownlinkLedger();
    const handlers = dispatchTo([ledger]);
    const events: readonly TraceEvent[] = [
      { kind: 'device.boot', at: 0, serial: 1, cause: 'power' },
      { kind: 'downlink.queued', at: 10_000.4, serial: 1, downlink: 'a', type: 'shell' },
      { kind: 'device.wake', at: 60_000, serial: 1, why: 'poll' },
      { kind: 'device.wake', at: 120_000, serial: 1, why: 'poll' },
      { kind: 'downlink.delivered', at: 62_000.7, serial: 1, downlink: 'a', evidence: 'final-ack' },
      { kind: 'uplink.acked', at: 123_000, serial: 1, uplink: 1, type: 'shell' },
      { kind: 'downlink.answered', at: 122_000, serial: 1, downlink: 'a' },
    ];
    for (const event of events) {
      histories.take(event);
      for (const handler of handlers.get(event.kind) ?? []) handler(event);
    }
    const [record] = ledger.records;
    const explainer = new RunExplainer(histories, {}, { situation: { fleet: [], faults: [], settings: [] } });
    const explanation = explainer.divide(1, 'a');
    if (record === undefined || explanation === undefined) throw new Error('the downlink is missing');
    expect(findDisagreements(explanation, record)).toEqual([]);
    expect(explanation.took).toBe(112_000);
  });

  it('that differs from the tables is found', async () => {
    const result = await play({
      fleet: [{ name: 'control', profile: 'clime', count: 1 }],
      steps: commands(1, 0),
    });
    const [record] = getDownlinks(result) ?? [];
    const [explanation] = result.explanations ?? [];
    if (record === undefined || explanation === undefined) throw new Error('the run has no downlink');
    expect(findDisagreements(explanation, record)).toEqual([]);
    const waits = { ...record.waits, asleep: record.waits.asleep + 1 };
    const others: DownlinkRecord = { ...record, reached: record.reached, waits, stretchesUntil: () => [] };
    expect(findDisagreements(explanation, others)).toEqual([
      `downlink ${record.id} has ${record.waits.asleep} ms asleep when explained, and ${waits.asleep} ms in tables`,
    ]);
    const [longest] = record.waits.asleep > 0 ? explanation.waits : [];
    if (longest === undefined) throw new Error('the device did not rest');
    const parts = { ...longest.parts, asleep: 0, radio: longest.parts.radio + longest.parts.asleep };
    const awake = { ...explanation, waits: [{ ...longest, parts }, ...explanation.waits.slice(1)] };
    expect(findDisagreements(awake, record)).toContain(
      `downlink ${record.id} waits ${longest.time} ms for the ${longest.what}, and the device is awake for ${longest.time} ms of it`,
    );
    expect(findDisagreements({ ...explanation, took: 1 }, record)[0]).toMatch(
      /^the waits of downlink .* but it took 1 ms$/,
    );
  });
});
