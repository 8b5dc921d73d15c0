/**
 * The network delivers datagrams twice. A device reads one datagram for each that it sends, the oldest in its socket, so the
 * copy of an answer is read in place of the next answer (wire W-23, timing T-38).
 */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/kernel/time.js';
import { measured, report } from './measured.js';

/** A device and its network, which copies the datagrams of the directions in `copied`. */
async function copying(before: readonly ('up' | 'down')[] = []) {
  const copied = new Set(before);
  const bench = await measured({ times: (way) => (copied.has(way) ? 2 : 1) });
  bench.zero();
  return { ...bench, copied };
}

describe('a network that delivers every datagram twice', () => {
  it('to the cloud only, changes nothing: the cloud answers the first and stores its message once', async () => {
    const { device, copied, run, sent, times } = await copying();
    copied.add('up');
    report(device);
    await run(seconds(30));
    expect(sent()).toHaveLength(1);
    expect(times('cloud.stored')).toHaveLength(1);
    expect(times('uplink.acked')).toHaveLength(1);
  });

  it('to the device, for one answer: the next report is sent again with the next number, then from 0, and stored once', async () => {
    const { device, copied, run, sent, times, of } = await copying();
    copied.add('down');
    report(device);
    await run(seconds(30));
    copied.clear();
    report(device);
    await run(seconds(60));
    const [first = 0, ...second] = sent().map(({ packet }) => packet.sequence);
    expect(second).toEqual([first + 2, first + 3, 0]);
    expect(times('uplink.acked')).toHaveLength(2);
    expect(of('cloud.stored').slice(-2)).toMatchObject([{ copy: false }, { copy: true }]);
  });

  it('to the device, from its first boot: the device never gets ready, and sends without a pause', async () => {
    const { of, run, sent } = await copying(['up', 'down']);
    expect(of('device.ready')).toEqual([]);
    await run(seconds(60));
    expect(sent().length).toBeGreaterThan(100);
    expect(of('device.ready')).toEqual([]);
  });

  it('to a device with a session, doubles the datagrams of each report until the copies end', async () => {
    const { device, copied, run, sent, times } = await copying();
    copied.add('up').add('down');
    const packets = async () => {
      const before = sent().length;
      report(device);
      await run(seconds(60));
      return sent().length - before;
    };
    const during = [await packets(), await packets(), await packets(), await packets()];
    copied.clear();
    const after = [await packets(), await packets(), await packets()];
    expect(during).toEqual([1, 4, 8, 16]);
    expect(after).toEqual([14, 5, 1]);
    expect(times('uplink.acked')).toHaveLength(7);
  });
});
