/** Explanations of a recorded history, as far as its messages show them. */
import { describe, expect, it } from 'vitest';
import { RunExplainer } from '../../src/explain/run-explainer.js';
import { recordedRun } from '../../src/record/explained.js';
import { downlink, recording, uplink } from './fixtures.js';

const MINUTE = 60_000;

/** Reports every 5 min, but none from `silentFrom` until `silentUntil` minutes. */
function history(silentFrom = 60, silentUntil = 60) {
  const times = Array.from({ length: 12 }, (_, i) => i * 5 + 1).filter((at) => at < silentFrom || at >= silentUntil);
  return times.map((at) => uplink(at * MINUTE));
}

function explained(...args: Parameters<typeof recording>) {
  const { histories, situation, names, unknown } = recordedRun(recording(...args));
  return new RunExplainer(histories, situation, names, unknown).slowest(1, 3 * MINUTE)[0];
}

describe('a recorded downlink', () => {
  it('waited for the next report of a device that reported regularly', () => {
    const found = explained(history(), [downlink(12 * MINUTE, 16 * MINUTE + 500, { type: 'shell' })]);
    expect(found).toMatchObject({ device: 'd1', outcome: 'delivered', causes: [{ kind: 'interval' }] });
    expect(found?.causes[0]?.name).toBe('next report (every 5m, no polls)');
  });

  it('waited for a device that was silent although a report was due', () => {
    const found = explained(history(20, 45), [downlink(22 * MINUTE, 46 * MINUTE + 500, { type: 'shell' })]);
    expect(found?.causes.map(({ name }) => name).join()).toContain('silence of the device');
    expect(found?.waits.some(({ what }) => what.includes('silence of the device'))).toBe(true);
  });

  it('belongs to a device with the firmware version of its last session', () => {
    const recorded = recording(history(), []);
    const known = { ...recorded, devices: recorded.devices.map((device) => ({ ...device, firmware: '3.5.5' })) };
    expect(recordedRun(known).situation.fleet[0]?.firmware).toBe('3.5.5');
  });

  it('is explained together with what messages do not show', () => {
    const found = explained(history(), [downlink(12 * MINUTE, null)]);
    expect(found?.outcome).toBe('pending');
    expect(found?.unknown.join()).toContain('cannot be known');
    expect(found?.text).toContain('cannot be known');
  });
});
