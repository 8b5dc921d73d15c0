/** The curves of a device, from its reports. */
import { describe, expect, it } from 'vitest';
import { seriesOf } from '../../web/src/model/series.js';

const T0 = Date.parse('2026-01-01T00:00:00.000Z');
const minute = 60_000;
const at = (minutes: number) => new Date(T0 + minutes * minute).toISOString();
const seconds = (minutes: number) => (T0 + minutes * minute) / 1000;
const window = (minutes: number, avg: number) => ({ timestamp: seconds(minutes), avg, min: avg - 1, max: avg + 1 });
const report = (minutes: number, ...measurements: readonly unknown[]) => ({
  created_at: at(minutes),
  body: { hygrometer: { temperature: { measurements } } },
});
const minutesOf = (times: readonly number[]) => times.map((time) => (time - T0) / minute);

describe('the curves of a device', () => {
  it('have a point for each window, at its time, with its least and greatest sample', () => {
    const [series] = seriesOf(
      [report(30, window(20, 22), window(25, 23)), report(15, window(10, 21), window(15, 20))],
      T0,
    );
    expect(series).toMatchObject({ name: 'hygrometer temperature', unit: '°C', isOwn: false });
    expect(minutesOf(series?.curve.times ?? [])).toEqual([10, 15, 20, 25]);
    expect(series?.curve).toMatchObject({ min: [20, 19, 21, 22], mean: [21, 20, 22, 23], max: [22, 21, 23, 24] });
  });

  it('show a value without windows at the time of its report', () => {
    const reports = [2, 1].map((n) => ({ created_at: at(n), body: { system: { voltage_rest: 3.6 - n / 10 } } }));
    const [series] = seriesOf(reports, T0);
    expect(minutesOf(series?.curve.times ?? [])).toEqual([1, 2]);
    expect(series?.curve.mean).toEqual([3.5, 3.4]);
  });

  it('show a value at the time at which its report was made, although it arrived after an outage', () => {
    const body = { system: { voltage_rest: 3.6 }, message: { timestamp: seconds(10) } };
    const [series] = seriesOf([{ created_at: at(200), body }], T0);
    expect(minutesOf(series?.curve.times ?? [])).toEqual([10]);
  });

  it('show a window once that a repeated report contains again', () => {
    const [series] = seriesOf([report(30, window(10, 21), window(15, 20)), report(20, window(10, 21))], T0);
    expect(minutesOf(series?.curve.times ?? [])).toEqual([10, 15]);
  });

  it('are interrupted where a device was silent', () => {
    const times = [5, 10, 15, 20, 60, 65];
    const [series] = seriesOf([report(65, ...times.map((n) => window(n, 20)))], T0);
    expect(minutesOf(series?.curve.times ?? [])).toEqual([5, 10, 15, 20, 25, 60, 65]);
    expect(series?.curve.mean).toEqual([20, 20, 20, 20, null, 20, 20]);
  });

  it('begin at a moment, and have the time of arrival if the clock of the device is wrong', () => {
    const [series] = seriesOf([report(30, { timestamp: 300, avg: 1 }, { timestamp: 600, avg: 2 })], T0 + 26 * minute);
    expect(minutesOf(series?.curve.times ?? [])).toEqual([30]);
    expect(series?.curve.mean).toEqual([2]);
  });

  it('are empty if all reports are older, and the newest value is known with its time', () => {
    const reports = [report(30, window(20, 22), window(25, 23)), report(15, window(10, 21))];
    const [series] = seriesOf(reports, T0 + 300 * minute);
    expect(series?.curve.times).toEqual([]);
    expect(series?.last).toMatchObject({ value: 23, at: T0 + 25 * minute });
  });
});
