/** A finished run for tests of the renderers: its summary is computed from events, the rest is invented. */

import type { RunResult } from '../../src/report/result.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife, metricsOf } from '../trace/fixtures.js';

const MINUTE = 60_000;

export function resultOf(changes: Partial<RunResult> = {}, events: readonly TraceEvent[] = busyRun()): RunResult {
  return {
    ...metricsOf(events, 3, 360 * MINUTE).summarise(),
    format: 2,
    scenario: 'first-fleet',
    seed: 7,
    digest: '0123456789abcdef',
    planDigest: 'fedcba9876543210',
    passed: true,
    exitCode: 0,
    failure: null,
    warnings: [],
    next: [],
    clock: 'virtual',
    speed: null,
    target: 'embedded',
    transport: 'memory',
    generator: null,
    out: null,
    simulatedMs: 360 * MINUTE,
    wallMs: 2345,
    events: events.length,
    expectations: [
      {
        line: 'uplink.stored == uplink.sent',
        passed: true,
        left: 1,
        right: 1,
        unit: 'count',
        sentence: 'uplink.stored is 1, wanted == uplink.sent, which is 1',
      },
    ],
    planned: {
      duration: 360 * MINUTE,
      warmUp: 0,
      situation: '00112233aabbccdd',
      faultsOf: { 2159017985: ['fault-1'] },
      fleet: [],
      faults: [],
      settings: [],
      marks: [{ kind: 'fault', id: 'fault-1', what: 'loss 10%', whom: 'clime', from: 10 * MINUTE, until: 20 * MINUTE }],
    },
    reproduce: 'ghostfleet run scenarios/first-fleet.yaml --seed 7',
    names: { 2159017985: 'clime-0001' },
    ...changes,
  };
}

/** The events of two devices, with one report and three downlinks of different types. */
export function busyRun(): readonly TraceEvent[] {
  const serial = 2_159_017_985;
  const at = (minutes: number) => minutes * MINUTE;
  const shell = {
    wake: at(12),
    contact: at(12) + 2100,
    offered: at(12) + 3000,
    received: at(12) + 3600,
    delivered: at(12) + 4100,
    executed: at(12) + 3700,
  };
  return [
    { kind: 'device.boot', at: 0, serial, cause: 'power' },
    { kind: 'device.ready', at: 41_000, serial },
    { kind: 'uplink.made', at: at(10), serial, uplink: 1, type: 'data', bytes: 780 },
    { kind: 'uplink.sent', at: at(10), serial, uplink: 1, type: 'data' },
    { kind: 'cloud.stored', at: at(10) + 900, serial, type: 'data', message: 'm1', copy: false },
    { kind: 'uplink.acked', at: at(10) + 1500, serial, uplink: 1, type: 'data' },
    { kind: 'net.fault', at: at(11), serial, fault: 'loss', way: 'up' },
    { kind: 'device.repeat', at: at(11), serial, waited: 10_000 },
    ...downlinkLife({ id: 'a', serial, print: 'a', queued: at(1), ...shell, answered: at(12) + 6000 }),
    ...downlinkLife({
      id: 'b',
      serial,
      print: 'b',
      type: 'data',
      queued: at(20),
      contact: at(21),
      offered: at(21),
      delivered: at(22),
    }),
    ...downlinkLife({ id: 'c', serial: serial + 1, print: 'c', type: 'config', queued: at(30) }),
    { kind: 'step', at: at(30), serial: 1, step: 'downlink', ok: false, note: 'the device has no encoder' },
  ];
}
