/**
 * Uplinks: limits, locks, what a failure leaves behind, and the exchange of one datagram (timing T-31 to T-42). Errors: −5 if a
 * message is not sent in time, −11 if another exchange holds the lock of the cloud connection.
 */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { ACK, FIRST, LAST, NOTHING, POLL } from '../../../src/protocol/flap/packet.js';
import { encodeDown } from '../../../src/protocol/messages/index.js';
import { datagramOf } from '../../support/device.js';
import { expectTimes, IDLE_SERVER, measured, report, scripted, unplugged } from './measured.js';

describe('one datagram', () => {
  it('is sent 6 times in 60 s while the cloud is silent: at 0, 10.3, 20.6, 31.0, 41.3 and 51.6 s', async () => {
    const { device, network, until, sent, zero } = await measured();
    zero();
    network.up = false;
    device.shell('cloud poll');
    await until(seconds(70));
    // The first one also waits for the modem to wake up.
    expectTimes(
      sent().map(({ at }) => at - 500),
      [0, 10.3, 20.6, 31, 41.3, 51.6],
    );
  });

  it('is sent again after a loss of the registration while the modem listens, when the modem has booted and attached', async () => {
    const { device, network, phases, zero, sent, until } = await measured();
    zero();
    network.up = false;
    device.shell('cloud poll');
    await until(seconds(1));
    device.radio(false);
    const seen = await phases(seconds(20));
    expect(seen.map(({ state }) => state)).toEqual(['receive', 'error', 'prepare', 'attach']);
    device.radio(true);
    await until(seconds(30));
    expect(sent()).toHaveLength(2);
  });
});

describe('timeline 10.5: lost acknowledgements', () => {
  it('(a) a lost datagram of the report delays the report by 10.3 s, a lost acknowledgement by 20.6 s, and the report is stored once', async () => {
    let lose = 0;
    const { device, until, times, zero, cloud } = await measured({ up: () => lose-- <= 0 });
    zero();
    lose = 1;
    report(device);
    await until(seconds(60));
    expectTimes(times('uplink.acked'), [10.8]);
    let hide = 0;
    const other = await measured({ down: () => hide-- <= 0 });
    other.zero();
    hide = 1;
    report(other.device);
    await other.until(seconds(60));
    expectTimes(other.times('uplink.acked'), [21.1]);
    // The first report of the bench, and this one.
    for (const each of [cloud, other.cloud]) {
      const stored = (await each.messages(await each.device())).filter(({ type }) => type === 'data');
      expect(stored).toHaveLength(2);
    }
  });

  it('(b) a lost final acknowledgement of a shell downlink causes no delay', async () => {
    let lost = -1;
    const { command, device, until, times, zero } = await measured({
      up: ({ flags }) => !(flags === ACK && lost >= 0 && lost++ === 0),
    });
    await command();
    zero();
    lost = 0;
    device.shell('cloud poll');
    await until(seconds(20));
    expect(lost).toBe(1);
    expectTimes(times('downlink.executed'), [0.5]);
    expectTimes(times('uplink.acked'), [0.5]);
  });

  it('(c) the session after the reboot, with sequence 0, replaces a lost final acknowledgement of a config downlink', async () => {
    let lost = -1;
    const { configure, device, until, times, zero, sent } = await measured({
      up: ({ flags }) => !(flags === ACK && lost >= 0 && lost++ === 0),
    });
    await configure(['app config interval-sample 77']);
    zero();
    lost = 0;
    device.shell('cloud poll');
    await until(minutes(1));
    const boot = times('device.boot')[0] ?? 0;
    const next = sent().find(({ at }) => at > boot);
    expect(next?.packet.sequence).toBe(0);
    expect(times('downlink.executed', ({ type }) => type === 'config')).toHaveLength(1);
    expect((next?.at ?? 0) / 1000).toBeLessThan(20);
  });

  it('(d) a final acknowledgement that cannot be sent in the budget: the device discards the downlink, which counts as delivered', async () => {
    const bench = await measured({ modem: { evaluation: 2000 } });
    const { command, device, until, times, zero, sent, of } = bench;
    await command();
    zero();
    device.shell('cloud poll');
    // The answer has arrived, the evaluation runs; then the device has no network for two minutes.
    await until(seconds(1.5));
    expect(sent()).toHaveLength(1);
    device.radio(false);
    await until(seconds(120));
    expect(times('downlink.executed')).toEqual([]);
    expect(of('poll.failed').at(-1)?.why).toBe('no radio connection');
    // The acknowledgement has the rest of the 60 s as its budget.
    expectTimes(times('poll.failed'), [61]);
    device.radio(true);
    await until(seconds(480));
    expectTimes(times('device.wake'), [361]);
    // The cloud has sent the last fragment of the downlink. It takes the sequence number 0 of that poll as proof of delivery.
    expectTimes(times('downlink.delivered'), [361]);
    expect(times('downlink.executed')).toEqual([]);
  });
});

describe('the limit of a report', () => {
  it('counts for each datagram: a report of three fragments may wait longer than 120 s', async () => {
    const { device, serve, run, start, of, clock } = await scripted();
    await start();
    await run(minutes(45));
    let silentUntil = 0;
    let fragment = 0;
    serve.by = (packet) => {
      if (packet.data.length === 0) return IDLE_SERVER(packet);
      if (clock.now < silentUntil) return undefined;
      // Every fragment is answered after 100 s.
      if (silentUntil === 0 || fragment > 0) {
        silentUntil = clock.now + seconds(100);
        fragment = 0;
        return undefined;
      }
      fragment++;
      return { flags: ACK, data: NOTHING };
    };
    const begun = clock.now;
    report(device);
    await run(minutes(15));
    const acked = of('uplink.acked').filter(({ at }) => at > begun);
    expect(acked).toHaveLength(1);
    expect((acked[0]?.at ?? 0) - begun).toBeGreaterThan(seconds(200));
  });

  it('ends with −5 at 120 s when the cloud is silent', async () => {
    const { device, network, until, times, zero, of } = await measured({ config: ['cloud config spool-size 0'] });
    zero();
    network.up = false;
    report(device);
    await until(seconds(135));
    // The modem is in its pause between two copies.
    expectTimes(times('uplink.dropped'), [120]);
    expect(of('uplink.dropped').at(-1)?.why).toBe('not sent in time');
  });

  it.each([
    ['fails with −5 when its 5 s are over', false],
    ['still succeeds when its answer comes', true],
  ])('that ends while an attempt runs: the attempt %s', async (_, answered) => {
    // The copies leave at 0.5, 10.8 and 21.1 s.
    const { device, network, until, times, zero, sent } = await measured({
      config: ['app config send-timeout 22', 'cloud config spool-size 0'],
    });
    zero();
    network.up = false;
    report(device);
    await until(seconds(22.5));
    expect(device.modem.state).toBe('receive');
    expect(times('uplink.dropped')).toEqual([]);
    const sequence = (sent().at(-1)?.packet.sequence ?? 0) + 1;
    if (answered) device.receive(datagramOf({ flags: ACK, sequence, data: NOTHING }));
    await until(seconds(30));
    expectTimes(times(answered ? 'uplink.acked' : 'uplink.dropped'), [answered ? 22.5 : 26.1]);
  });

  it('does not exist in Meteo: a report waits without limit, and is delivered', async () => {
    const { device, until, times } = await unplugged({ profile: 'meteo' });
    report(device);
    await until(minutes(50));
    expect(times('uplink.dropped')).toEqual([]);
    device.radio(true);
    await until(minutes(51));
    expectTimes(times('uplink.acked').slice(0, 1), [50 * 60 + 1.3]);
  });

  it('includes the wait for the lock: the report fails with −11 after 120 s and is not spooled', async () => {
    // A shell answer without time limit holds the lock.
    const { device, serve, run, start, of, clock } = await scripted();
    await start();
    const shell = {
      flags: FIRST | LAST,
      data: encodeDown({ kind: 'download-shell', messageId: ID, commands: ['info show'] }),
    };
    serve.by = (packet) => (packet.flags === POLL ? shell : undefined);
    device.shell('cloud poll');
    await run(seconds(10));
    const begun = clock.now;
    report(device);
    await run(seconds(125));
    const [dropped] = of('uplink.dropped');
    expect(dropped?.why).toBe('another exchange holds the cloud lock');
    expectTimes([(dropped?.at ?? 0) - begun], [120]);
    expect(device.spool.count).toBe(0);
  });
});

describe('a send that takes longer than the interval', () => {
  it('is followed by one more report at once, however many intervals have passed', async () => {
    const { device, until, times } = await unplugged({
      profile: 'control',
      config: ['app config interval-report 600'],
    });
    report(device);
    await until(minutes(40));
    expect(times('uplink.made')).toEqual([]);
    device.radio(true);
    await until(minutes(41));
    // The blocked report was made at the zero itself.
    expectTimes(times('uplink.made'), [2401.3]);
    expectTimes(times('uplink.acked'), [2401.3, 2401.3]);
  });

  it('is followed by one report for an event, a command and the regular timer together', async () => {
    const { device, until, times } = await unplugged({
      profile: 'control',
      config: ['app config interval-report 600', 'app config event-report-delay 5'],
    });
    // The report of the event is due 5 s later, while the report of the command blocks the queue.
    device.controls.line(false);
    await until(seconds(1));
    report(device);
    await until(minutes(2));
    report(device);
    await until(minutes(40));
    device.radio(true);
    await until(minutes(41));
    expectTimes(times('uplink.acked'), [2401.3, 2401.3]);
  });
});

describe('the windows of measurements after a report that failed', () => {
  it.each([
    ['clime', 'kept'],
    ['meteo', 'kept'],
    ['control', 'cleared'],
    ['range', 'cleared'],
  ])('of %s are %s', async (profile, expected) => {
    const { device, serve, run, start } = await scripted({ profile });
    await start();
    await run(minutes(11));
    const windows = () => {
      // A shell command makes the device take the samples that are due.
      device.shell('info show');
      const { memory } = device.firmware?.measurements ?? {};
      const sensors = memory?.plan.sensors ?? [];
      return sensors.reduce((sum, sensor) => sum + (memory?.windowCount(sensor) ?? 0), 0);
    };
    const before = windows();
    expect(before).toBeGreaterThan(0);
    // An acknowledgement with wrong flags is an error at once (timing T-38).
    serve.by = ({ data }) => (data.length > 0 ? { flags: FIRST, data: NOTHING } : undefined);
    report(device);
    await run(seconds(5));
    expect(windows()).toBe(expected === 'kept' ? before : 0);
  });
});

describe('the passes that Motion counts between two samples', () => {
  it.each([
    ['is sent', true],
    ['fails', false],
  ])('are dropped from the next sample by a report that %s; detections and totals stay', async (_, answered) => {
    const { device, serve, run, start, of, clock } = await scripted({ profile: 'motion' });
    await start();
    const held = ['detect_left', 'detect_right', 'motion_left', 'motion_right'];
    for (const name of held) device.controls.hold(`motion.${name}`, 100);
    const ready = of('device.ready')[0]?.at ?? 0;
    // The samples are taken every 60 s.
    await clock.runUntil(ready + seconds(10 * 60 + 5));
    const totals = () => (device.shell('motion samples').lines[1] ?? '').match(/\d+/g)?.map(Number) ?? [];
    const before = totals();
    for (const name of held) device.controls.hold(`motion.${name}`, 104);
    if (!answered) serve.by = ({ data }) => (data.length > 0 ? { flags: FIRST, data: NOTHING } : undefined);
    report(device);
    await run(seconds(10));
    device.controls.hold('motion.motion_right', 105);
    await run(seconds(60));
    const { lines } = device.shell('motion samples');
    expect(lines.at(-1)).toMatch(/\] L=4, R=4, L->R=1, R->L=0,/);
    expect(totals().map((total, i) => total - (before[i] ?? 0))).toEqual([4, 4, 5, 4]);
  });
});

describe('the drain of the spool', () => {
  it('begins with the report that has the earliest time: the last one, if the clock was set back before it', async () => {
    const { device, network, until, zero } = await measured({ config: ['app config send-timeout 1'] });
    zero();
    network.up = false;
    report(device);
    await until(minutes(2));
    device.shell('rtc set 2020/01/01 00:00:00');
    report(device);
    await until(minutes(4));
    const [first = 0, second = 0] = device.spool.messages.map(({ uplink }) => uplink);
    expect(first).toBeGreaterThan(second);
  });

  it('continues after its time is over if the link is good: each message still gets one attempt of up to 30 s', async () => {
    const { device, network, until, times, zero, run } = await measured({
      config: ['app config send-timeout 1'],
      modem: { connect: [900, 900], evaluation: 900 },
    });
    zero();
    network.up = false;
    for (let i = 1; i <= 5; i++) {
      report(device);
      await until(i * minutes(2));
    }
    expect(device.spool.count).toBe(5);
    network.up = true;
    report(device);
    await run(minutes(1));
    expect(device.spool.count).toBe(0);
    expect(times('uplink.acked')).toHaveLength(6);
  });

  it('is not started by a poll', async () => {
    const { device, network, until, zero } = await measured({ config: ['app config send-timeout 1'] });
    zero();
    network.up = false;
    for (let i = 1; i <= 3; i++) {
      report(device);
      await until(i * minutes(2));
    }
    network.up = true;
    device.shell('cloud poll');
    await until(minutes(7));
    expect(device.spool.count).toBe(3);
  });
});

const ID = new Uint8Array(16);
