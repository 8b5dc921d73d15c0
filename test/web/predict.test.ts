/** The time at which the console expects the next contact of a device. */
import { describe, expect, it } from 'vitest';
import { nextContact } from '../../web/src/model/predict.js';

const minutes = (...times: readonly number[]) => times.map((time) => time * 60_000);
const CONFIG = ['app config interval-sample 60', 'app config interval-report 1800'];

describe('the next contact of a device', () => {
  it('follows from its configuration after the first report', () => {
    expect(nextContact({ reports: minutes(2), config: CONFIG })).toBe(32 * 60_000);
  });

  it('follows from its reports if there are at least three, even after an outage', () => {
    expect(nextContact({ reports: minutes(200, 2, 35, 101, 68), config: CONFIG })).toBe(233 * 60_000);
  });

  it('is unknown without a report, and after one report without a configuration', () => {
    expect(nextContact({ reports: [], config: CONFIG })).toBeUndefined();
    expect(nextContact({ reports: minutes(2), config: [] })).toBeUndefined();
  });
});
