import { describe, expect, it } from 'vitest';
import { renderJson } from '../../src/report/renderers/json.js';
import { resultOf } from './fixtures.js';

describe('the JSON report', () => {
  it('is one object with the keys that programs read', () => {
    const result = resultOf();
    const report = JSON.parse(renderJson(result));
    expect(report).toMatchObject({
      scenario: 'first-fleet',
      seed: 7,
      digest: '0123456789abcdef',
      planDigest: 'fedcba9876543210',
      passed: true,
      exitCode: 0,
      clock: 'virtual',
      transport: 'memory',
      simulatedMs: 21_600_000,
      wallMs: 2345,
      fleet: { devices: 3, ready: 1 },
      uplinks: { made: 1, sent: 1, acked: 1, dropped: 0, waiting: 0, stored: 1, copies: 0 },
      downlinks: { queued: 3, answered: 1, delivered: 1, pending: 1, cancelled: 0, expired: 0 },
      expectations: [{ line: 'uplink.stored == uplink.sent', passed: true, left: 1, right: 1 }],
      reproduce: 'ghostfleet run scenarios/first-fleet.yaml --seed 7',
    });
    expect(report.anomalies.map((anomaly: { name: string }) => anomaly.name)).toEqual([
      'downlink-unreceived',
      'step-failed',
    ]);
  });

  it('contains the complete result', () => {
    const result = resultOf();
    expect(JSON.parse(renderJson(result))).toEqual(JSON.parse(JSON.stringify(result)));
  });
});
