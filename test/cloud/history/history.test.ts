/** The history of a space, sampled by a clock that only the test advances. */
import { describe, expect, it } from 'vitest';
import { History, keepHistory } from '../../../src/cloud/history/history.js';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { service } from '../api/service.js';

async function watched() {
  const history = new History();
  const made = await service({}, (context) => ({ ...context, history }));
  return { ...made, history, stop: keepHistory(history, made) };
}

describe('the history of a space', () => {
  it('has the figures from the start on, with one sample each ten seconds', async () => {
    const { call, store, clock, device, history, spaceId, stop } = await watched();
    const { id } = await device({});
    await store.commit([{ kind: 'device.change', id, change: { lastContact: clock.wall, contactEvery: minutes(2) } }]);
    await clock.runUntil(seconds(1));
    for (let n = 0; n < 3; n++) history.noteReport(spaceId);
    for (const took of [30, 10, 20]) history.noteDelivery(spaceId, 'shell', seconds(took));
    history.noteDelivery(spaceId, 'session', seconds(900));
    await clock.runUntil(minutes(30));
    await stop();
    const { json } = await call('GET', 'history');
    expect(json).toMatchObject({ from: '2026-01-01T00:00:00.000Z', devices: 1 });
    expect(json.starts.slice(0, 3)).toEqual([0, 10, 20]);
    const { devices_on_time, reports_per_minute, downlinks_waiting, delivery_p50_seconds } = json.figures;
    expect(devices_on_time.max).toHaveLength(181);
    // Late after 13 minutes: its interval of two, one and a half times, and ten.
    expect(devices_on_time.mean.lastIndexOf(1)).toBe(78);
    // The rate of the time so far, at most of the last minute.
    expect(reports_per_minute.mean.slice(0, 8)).toEqual([null, 18, 9, 6, 4.5, 3.6, 3, 0]);
    expect(downlinks_waiting.mean[0]).toBe(0);
    expect(delivery_p50_seconds.mean.slice(0, 3)).toEqual([null, 20, 20]);
  });

  it('has a bucket for each ten seconds of the last hour also after a week, longer ones before, and no gap', async () => {
    const { call, clock, device, stop } = await watched();
    await device({});
    await clock.runUntil(hours(7 * 24));
    await stop();
    const { starts, figures } = (await call('GET', 'history')).json;
    expect(figures.downlinks_waiting.min).toHaveLength(starts.length);
    expect(figures.downlinks_waiting.min).not.toContain(null);
    const lengthAt = (ago: number) => {
      const next = starts.findIndex((start: number) => start > (hours(7 * 24) - ago) / 1000);
      return starts[next] - starts[next - 1];
    };
    expect([lengthAt(minutes(50)), lengthAt(hours(20)), lengthAt(hours(6 * 24))]).toEqual([10, 320, 1280]);
  });

  it('counts the reports that arrive before the first sample with a device', async () => {
    const { call, clock, device, history, spaceId, stop } = await watched();
    await clock.runUntil(seconds(11));
    await device({});
    for (let n = 0; n < 30; n++) history.noteReport(spaceId);
    await clock.runUntil(seconds(40));
    await stop();
    const { json } = await call('GET', 'history');
    expect(json.figures.reports_per_minute.mean).toEqual([180, 90, 60]);
  });

  it('ends with the last device of the space', async () => {
    const { call, clock, device, stop } = await watched();
    const { id } = await device({});
    await clock.runUntil(minutes(1));
    await call('DELETE', `devices/${id}`);
    await clock.runUntil(minutes(2));
    await stop();
    expect((await call('GET', 'history')).json.starts).toEqual([]);
  });

  it('is empty without a sample, and hidden from keys with tags', async () => {
    const { call } = await service();
    expect((await call('GET', 'history')).json.figures.devices_on_time).toEqual({ min: [], mean: [], max: [] });
    const tag = await call('POST', 'tags', { name: 'cold', color: '#1f77b4', access_type: 'read' });
    const key = await call('POST', 'keys', { name: 'limited', tags: [{ id: tag.json.id }] });
    const answer = await call('GET', 'history', undefined, { 'x-api-key': key.json.key });
    expect(answer.status).toBe(404);
  });
});
