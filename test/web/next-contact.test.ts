/** When a device makes contact again, as its page says. */
import { describe, expect, it } from 'vitest';
import type { DeviceDoing } from '../../src/control/run-state.js';
import { nextContact } from '../../web/src/pages/device/next-contact.js';

const minute = 60_000;
const doing = (next_report_ms: number | null, next_poll_ms: number | null): DeviceDoing => {
  return { kind: 'asleep', text: 'asleep', next_report_ms, next_poll_ms, faults: [] };
};
const at = { lastContact: 0, contactEvery: null, now: 2 * minute };

describe('the next contact of a device', () => {
  it('is its next poll or report in a run, whichever comes first', () => {
    expect(nextContact({ ...at, doing: doing(12 * minute, 3 * minute) })).toEqual({
      value: 'in 3m',
      more: 'poll, report in 12m',
    });
    expect(nextContact({ ...at, doing: doing(12 * minute, null) })).toEqual({ value: 'in 12m', more: 'report' });
    expect(nextContact({ ...at, doing: doing(null, null) }).more).toBe('no timer is set');
    expect(nextContact({ ...at, doing: { ...doing(null, null), kind: 'off' } }).more).toBe('while it is off');
  });

  it('is expected by the rhythm of the device without a run', () => {
    const known = { ...at, doing: undefined, contactEvery: 5 * minute };
    expect(nextContact(known)).toEqual({ value: 'in 3m', more: 'every 5m' });
    expect(nextContact({ ...known, now: 9 * minute })).toEqual({
      value: '4m ago',
      more: 'was expected, every 5m',
      tone: 'late',
    });
    expect(nextContact({ ...known, contactEvery: null }).more).toBe('its rhythm is not known yet');
    expect(nextContact({ ...known, lastContact: null }).more).toBe('no contact yet');
  });
});
