/** The time of the service, as the console knows it from answers and events. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const HOUR = 3_600_000;

type ServiceTime = typeof import('../../web/src/api/service-time.js');
let time: ServiceTime;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.resetModules();
  time = await import('../../web/src/api/service-time.js');
});
afterEach(() => {
  vi.useRealTimers();
});

/** An answer that takes 80 ms. @param browser time of the browser @param service time of the service, both in Unix ms */
function answered(browser: number, service: number, speed?: string): void {
  vi.setSystemTime(browser);
  time.dated(new Date(service).toUTCString(), browser - 80, speed);
}

/** How far the known time is from that of the service, in ms. */
const error = (service: number) => Math.abs(time.serviceTime() - service);

describe('the time of the service', () => {
  it('is that of the browser until an answer has a date, and if they agree', () => {
    vi.setSystemTime(NOON);
    time.dated(null, NOON);
    time.dated('yesterday', NOON);
    expect(time.serviceTime()).toBe(NOON);
    answered(NOON + 5_400, NOON + 5_300);
    expect(time.serviceTime()).toBe(NOON + 5_400);
  });

  it.each([
    ['an hour ahead', HOUR],
    ['two days ahead', 48 * HOUR],
    ['nine minutes behind', -9 * 60_000],
    ['years behind', -50_000 * HOUR],
  ])('is known to a second in a browser whose clock is %s', (_, wrong) => {
    answered(NOON + wrong, NOON);
    expect(error(NOON)).toBeLessThanOrEqual(1_000);
    answered(NOON + wrong + 900, NOON + 900);
    expect(error(NOON + 900)).toBeLessThanOrEqual(1_000);
  });

  it('is right again after the clock of the browser was set, even if an event came before the next answer', () => {
    answered(NOON + HOUR, NOON);
    vi.setSystemTime(NOON + 5_000);
    time.seenAt(NOON + 5_000);
    answered(NOON + 6_000, NOON + 6_000);
    expect(error(NOON + 6_000)).toBeLessThanOrEqual(1_000);
  });

  it('is never earlier than the latest event, because a service in virtual time may have a clock of its own', () => {
    answered(NOON, NOON);
    time.seenAt(NOON + HOUR);
    answered(NOON + 60_000, NOON + 60_000);
    expect(error(NOON + HOUR + 60_000)).toBeLessThanOrEqual(1_000);
  });

  it('passes at the speed of a run between two answers, and stands still while the run is paused', () => {
    answered(NOON, NOON, '600');
    vi.setSystemTime(NOON + 4_000);
    expect(error(NOON + 2_400_000)).toBeLessThanOrEqual(1_000);
    answered(NOON + 5_000, NOON + 3_000_000, '0');
    vi.setSystemTime(NOON + 20_000);
    expect(error(NOON + 3_000_000)).toBeLessThanOrEqual(1_000);
    answered(NOON + 61_000, NOON + 3_000_000, '1');
    vi.setSystemTime(NOON + 62_000);
    expect(error(NOON + 3_001_000)).toBeLessThanOrEqual(1_000);
  });
});
