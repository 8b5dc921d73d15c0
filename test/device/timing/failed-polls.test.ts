/**
 * Polls that fail: their budget, their retry, and ticks of `interval-poll` and poll flags before the retry (timing T-18 to
 * T-21). Error −14: the modem is stuck.
 */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { FIRST, LAST, NOTHING, POLL } from '../../../src/protocol/flap/packet.js';
import { type DownMessage, encodeDown } from '../../../src/protocol/messages/index.js';
import { expectTimes, measured, report, scripted, unplugged } from './measured.js';

describe('timeline 10.3 (run D): the cloud is silent until 144.9 s, polls every 60 s', () => {
  it('the queued tick replaces the retry, and the command arrives about 10 s after the end of the silence', async () => {
    const { command, network, tick, until, sent, times } = await measured({ config: ['app config interval-poll 60'] });
    await command();
    await tick(seconds(60));
    network.up = false;
    await until(seconds(144.9));
    network.up = true;
    await until(seconds(290));
    const polls = sent().filter(({ at }) => at < seconds(150));
    expectTimes(
      polls.map(({ at }) => at),
      // Three polls of up to six copies.
      [...[0.5, 10.8, 21.1, 31.4, 41.7, 52], ...[61.9, 72.2, 82.5, 92.8, 103.1, 113.5], ...[123.8, 134.2, 144.5]],
    );
    expect(polls.slice(6, 12).map(({ packet }) => packet.sequence)).toEqual([0, 0, 0, 0, 0, 0]);
    expectTimes(times('poll.failed'), [60, 120]);
    expectTimes(times('downlink.executed'), [154.8]);
    // From then on, ticks come normally again.
    expectTimes(
      times('device.wake').filter((at) => at > seconds(160)),
      [180, 240],
    );
  });

  it('with ticks every 240 s the retry after 5 min takes place, and the tick before it is ignored', async () => {
    const { command, network, tick, until, times } = await measured({ config: ['app config interval-poll 240'] });
    await command();
    await tick(seconds(240));
    network.up = false;
    await until(seconds(200));
    network.up = true;
    await until(seconds(470));
    expectTimes(times('poll.failed'), [60]);
    expectTimes(times('downlink.executed'), [360.5]);
  });
});

describe('timeline 10.6: the registration is lost before a report that has no time limit', () => {
  it('run E, polls every 240 s: the poll that waits for the lock fails after 60 s, and its retry makes the device ignore the poll flag', async () => {
    const bench = await unplugged({ profile: 'control', config: ['app config interval-poll 240'] });
    const { device, command, tick, until, times, now, zero } = bench;
    device.radio(true);
    await command();
    // The loss comes 40 s before a tick.
    await tick(seconds(240));
    await until(seconds(200));
    zero();
    device.radio(false);
    expect(now()).toBe(0);
    await command();
    await until(seconds(4));
    report(device);
    await until(seconds(100.5));
    expectTimes(times('poll.failed'), [100]);
    expect(device.modem.state).toBe('attach');
    await until(seconds(119.1));
    device.radio(true);
    await until(seconds(399));
    expectTimes(times('uplink.acked'), [120.4]);
    expect(times('downlink.executed')).toEqual([]);
    await until(seconds(402));
    expectTimes(times('downlink.executed'), [400.5]);
  });

  it('run C, polls every 60 s: the waiting poll starts at once, and one empty poll follows', async () => {
    const bench = await measured({ profile: 'control', config: ['app config interval-poll 60'] });
    const { device, command, tick, until, times, zero, sent } = bench;
    await tick(seconds(60));
    await until(seconds(20));
    zero();
    device.radio(false);
    await command();
    await until(seconds(4));
    report(device);
    await until(seconds(404.1));
    expectTimes(times('poll.failed'), [100, 160, 220, 280, 340, 400]);
    // These polls never use the radio.
    expect(sent()).toEqual([]);
    device.radio(true);
    await until(seconds(415));
    expectTimes(times('uplink.acked'), [405.4, 405.4]);
    expectTimes(times('downlink.executed'), [405.4]);
    const last = sent().at(-1);
    expect(last?.packet.flags).toBe(POLL);
    expectTimes([last?.at ?? 0], [406]);
  });
});

describe('a failed poll', () => {
  it('with a planned retry makes the device ignore the poll flag of an acknowledgement, and a poll command', async () => {
    const { device, command, network, until, times, zero } = await measured();
    zero();
    network.up = false;
    device.shell('cloud poll');
    await until(seconds(80));
    network.up = true;
    await command();
    report(device);
    await until(seconds(120));
    device.shell('cloud poll');
    await until(seconds(355));
    expect(times('uplink.acked')).toHaveLength(1);
    expect(times('downlink.executed')).toEqual([]);
    await until(seconds(370));
    expectTimes(times('downlink.executed'), [360.5]);
  });

  it('finds a lost registration by the check before its send; the attach window begins after 10.56 s', async () => {
    const { device, phases } = await unplugged();
    device.shell('cloud poll');
    const window = (await phases(seconds(30))).find(({ state }) => state === 'attach');
    expectTimes([window?.at ?? 0], [10.56]);
  });

  it('ends 60.0 s after its start', async () => {
    const { device, network, until, times, zero } = await measured();
    zero();
    network.up = false;
    device.shell('cloud poll');
    await until(seconds(100));
    expectTimes(times('poll.failed'), [60]);
  });

  it('ends after 90 s with −14 if nothing could be sent', async () => {
    const { device, until, times, of } = await unplugged();
    device.shell('cloud poll');
    await until(seconds(100));
    expectTimes(times('poll.failed'), [90]);
    expect(of('poll.failed').at(-1)?.why).toBe('modem stuck');
  });

  it('because of a downlink that cannot be executed is repeated after 5 min, whatever the poll interval', async () => {
    const { configure, tick, until, times } = await measured({ config: ['app config interval-poll 240'] });
    await configure(['app config interval-report nonsense', 'nonsense']);
    await tick(seconds(240));
    await until(seconds(239));
    expectTimes(times('poll.failed'), [0.5]);
    await until(seconds(500));
    // The tick at 240 s is ignored; the next wake is the retry.
    expectTimes(
      times('device.wake').filter((at) => at > seconds(10)),
      [300.5, 480],
    );
  });

  it('caused by an invalid config line ends 0.01 s later for each line before it', async () => {
    const { configure, device, until, times, zero } = await measured();
    await configure([...Array.from({ length: 50 }, (_, i) => `app config interval-sample ${61 + i}`), 'nonsense']);
    zero();
    device.shell('cloud poll');
    await until(seconds(10));
    const [fails = 0] = times('poll.failed');
    // The final acknowledgement leaves 0.5 s after the command.
    expect(fails).toBeGreaterThanOrEqual(510 + 500);
    expect(fails).toBeLessThanOrEqual(510 + 600);
  });

  it('caused by the rejected report of a complete image does not restart the device', async () => {
    const { device, serve, run, start, of } = await scripted();
    await start();
    const chunk = { target: 'app', type: 'chunk', updateId: new Uint8Array(16), offset: 0, size: 50 };
    const message = { kind: 'download-firmware', ...chunk, data: new Uint8Array(50) } as DownMessage;
    serve.by = (packet) => {
      if (packet.flags & POLL) return { flags: FIRST | LAST, data: encodeDown(message) };
      // Wrong flags in an acknowledgement are an error at once.
      return packet.data.length > 0 ? { flags: FIRST, data: NOTHING } : undefined;
    };
    device.shell('cloud poll');
    await run(minutes(4));
    expect(of('device.boot')).toHaveLength(1);
    expect(of('poll.failed').map(({ why }) => why)).toEqual(['answer could not be sent']);
    expect(device.bootloader?.updateId).toBeUndefined();
  });

  it('blocks further polls until its 5 min are over', async () => {
    const { device, network, until, times, zero } = await measured({ config: ['app config interval-poll 3600'] });
    zero();
    network.up = false;
    device.shell('cloud poll');
    await until(seconds(90));
    network.up = true;
    for (let at = 100; at < 350; at += 50) {
      await until(seconds(at));
      device.shell('poll');
      device.shell('cloud poll');
    }
    await until(minutes(7));
    const polls = times('device.wake').filter((at) => at > seconds(1));
    expectTimes(polls, [360]);
  });
});
