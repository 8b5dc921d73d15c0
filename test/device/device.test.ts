/** The life of a device against a cloud: session, reports, downlinks, what survives a reboot (behaviour B-1, B-17, B-25, B-32). */
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../src/kernel/time.js';
import { ACK, FIRST, LAST, NOTHING, POLL } from '../../src/protocol/flap/packet.js';
import { encodeDown, type SessionFacts } from '../../src/protocol/messages/index.js';
import { SERIAL, type TestCloud, testCloud } from '../support/cloud.js';
import { datagramOf, packetIn, type TestDeviceOptions, testDevice } from '../support/device.js';

interface Options extends Partial<TestDeviceOptions> {
  readonly cloud?: TestCloud;
  /** Does the network let datagrams through? Default: always. */
  readonly passes?: () => boolean;
}

/** A device that is registered in a cloud and has just been switched on. */
async function liveDevice({ cloud, passes = () => true, ...options }: Options = {}) {
  const home = cloud ?? (await testCloud());
  if (cloud === undefined) await home.addDevice();
  const live = testDevice({
    clock: home.clock,
    events: home.events,
    network: (datagram, answer) => {
      if (!passes()) return;
      home.clock.after(1, 'datagram', () =>
        home.gateway.receive(datagram, 'base64', (reply) => passes() && answer(reply)),
      );
    },
    ...options,
  });
  live.device.powerOn();
  return { ...live, cloud: home };
}

describe('after power-up', () => {
  it('a device sets up its session, uploads the missing codecs, and reports 10 s later', async () => {
    const { clock, cloud, of } = await liveDevice();
    await clock.runUntil(minutes(3));
    const ready = of('device.ready')[0]?.at ?? 0;
    expect(of('uplink.made').map(({ type }) => type)).toEqual(['session', 'codec', 'config', 'data']);
    expect(of('uplink.made')[3]?.at).toBe(ready + seconds(10));
    expect(await cloud.device()).toMatchObject({ decoderHash: '92fd351b4a8c1979' });
  });

  it('a device with an encoder uploads its encoder, too', async () => {
    const { clock, cloud } = await liveDevice({ profile: 'control' });
    await clock.runUntil(minutes(3));
    expect(await cloud.device()).toMatchObject({ decoderHash: 'ea8c7233208bad80', encoderHash: 'c76a16dd617f713b' });
  });

  it.each([
    ['clime', 'with a CHESTER-Z', ['R1.4', '0x0001', 'v1.2.0']],
    ['meteo', 'without a CHESTER-Z', [undefined, undefined, undefined]],
  ])(
    'a %s, %s, reports the versions of its CHESTER-Z, if any, when it requests a session',
    async (profile, _, expected) => {
      const { clock, cloud } = await liveDevice({ profile });
      await clock.runUntil(minutes(3));
      const session = (await cloud.messages(await cloud.device())).find(({ type }) => type === 'session');
      // The cast is safe because the body of a session message contains the facts that the device reported.
      const said = session?.body as SessionFacts | undefined;
      expect([said?.z_hw_revision, said?.z_hw_variant, said?.z_fw_version]).toEqual(expected);
    },
  );

  it('a device uploads no codec that the cloud already has', async () => {
    const { clock, device, of } = await liveDevice();
    await clock.runUntil(minutes(3));
    device.reboot('power');
    await clock.runUntil(minutes(6));
    expect(of('uplink.made').map(({ type }) => type)).toEqual([
      'session',
      'codec',
      'config',
      'data',
      'session',
      'data',
    ]);
  });

  it('a device applies a configuration that arrives in place of the session, and is silent until it restarts', async () => {
    const sent: number[] = [];
    const { device, clock, of } = testDevice({
      network: (datagram, answer) => {
        const { sequence, flags } = packetIn(datagram);
        sent.push(clock.now);
        if (flags & FIRST) answer(datagramOf({ flags: ACK | POLL, sequence: sequence + 1, data: NOTHING }));
        if (flags !== POLL || of('device.boot').length > 1) return;
        const data = encodeDown({ kind: 'download-config', lines: ['app config interval-report 900'] });
        answer(datagramOf({ flags: FIRST | LAST, sequence: sequence + 1, data }));
      },
    });
    device.powerOn();
    await clock.runUntil(minutes(1));
    const reboot = of('device.boot')[1];
    expect(reboot?.cause).toBe('config');
    const before = sent.filter((at) => at < (reboot?.at ?? 0));
    expect(before).toHaveLength(3);
  });

  it('a device repeats CREATE_SESSION at once if the acknowledgement has no poll flag', async () => {
    const sequences: number[] = [];
    const { device, clock } = testDevice({
      network: (datagram, answer) => {
        const { sequence, flags } = packetIn(datagram);
        sequences.push(sequence);
        if (sequences.length < 5 && flags & FIRST)
          answer(datagramOf({ flags: ACK, sequence: sequence + 1, data: NOTHING }));
      },
    });
    device.powerOn();
    await clock.runUntil(minutes(2));
    expect(sequences.slice(0, 5)).toEqual([0, 2, 4, 6, 8]);
  });

  it('a device with radio mode "none" sends nothing', async () => {
    const { clock, events, of } = await liveDevice({ config: ['app config mode none'] });
    await clock.runUntil(hours(3));
    expect(events.map(({ kind }) => kind)).toEqual(['device.boot']);
    expect(of('uplink.made')).toEqual([]);
  });
});

describe('reports', () => {
  it('are 80 to 120 % of the interval apart', async () => {
    const { clock, of } = await liveDevice({ config: ['app config interval-report 600'] });
    await clock.runUntil(hours(24));
    const times = of('uplink.made')
      .filter(({ type }) => type === 'data')
      .map(({ at }) => at);
    const gaps = times.slice(2).map((at, i) => at - (times[i + 1] ?? 0));
    expect(gaps.length).toBeGreaterThan(110);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(seconds(480));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(seconds(720));
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeGreaterThan(seconds(120));
  });

  it('are decoded to JSON with sequence, device time and closed windows', async () => {
    const { clock, cloud } = await liveDevice();
    await clock.runUntil(hours(1));
    const uplinks = (await cloud.messages(await cloud.device())).filter(({ type }) => type === 'data');
    expect(uplinks[0]?.body).toMatchObject({
      message: { version: 2, sequence: 0 },
      hygrometer: { humidity: { measurements: [] } },
    });
    const second = uplinks[1]?.body as {
      message: { timestamp: number };
      hygrometer: { humidity: { measurements: unknown[] } };
    };
    expect(second.hygrometer.humidity.measurements.length).toBeGreaterThanOrEqual(4);
    expect(Math.abs(second.message.timestamp * 1000 - (uplinks[1]?.createdAt ?? 0))).toBeLessThan(seconds(15));
  });

  it('of an application without a spool are lost by a reboot if they are unsent', async () => {
    let up = true;
    const { clock, device, of } = await liveDevice({ profile: 'control', passes: () => up });
    await clock.runUntil(minutes(3));
    up = false;
    await clock.runUntil(hours(1));
    device.reboot('power');
    expect(of('uplink.dropped')).toMatchObject([{ type: 'data', why: 'reboot' }]);
  });
});

describe('the spool', () => {
  it('holds the 10 newest of 12 failed reports; after the outage, a new report is sent first, then the others, oldest first', async () => {
    let up = true;
    const { clock, cloud, of } = await liveDevice({ config: ['app config interval-report 300'], passes: () => up });
    await clock.runUntil(minutes(3));
    const before = of('uplink.made').length;
    up = false;
    while (of('uplink.made').length < before + 12) await clock.runUntil(clock.now + seconds(10));
    const made = of('uplink.made')
      .slice(before)
      .map(({ uplink }) => uplink);
    await clock.runUntil(clock.now + minutes(3));
    expect(of('uplink.dropped').map(({ uplink, why }) => [uplink, why])).toEqual([
      [made[0], 'spool full'],
      [made[1], 'spool full'],
    ]);
    up = true;
    const acknowledged = of('uplink.acked').length;
    await clock.runUntil(clock.now + minutes(6));
    const newest = of('uplink.made').at(-1)?.uplink;
    const order = of('uplink.acked')
      .slice(acknowledged)
      .map(({ uplink }) => uplink);
    // The delivered report is the 13th. It displaces one more report, and nine older ones are left.
    expect(order).toEqual([newest, ...made.slice(3)]);
    const uplinks = (await cloud.messages(await cloud.device())).filter(({ type }) => type === 'data');
    expect(uplinks).toHaveLength(1 + 10);
  });

  it('survives a reboot', async () => {
    let up = true;
    const { clock, device, of } = await liveDevice({ passes: () => up });
    await clock.runUntil(minutes(3));
    up = false;
    await clock.runUntil(hours(1));
    const waiting = device.spool.count;
    expect(waiting).toBeGreaterThan(0);
    device.reboot('power');
    up = true;
    await clock.runUntil(hours(1) + minutes(5));
    expect(device.spool.count).toBe(0);
    expect(of('uplink.dropped')).toEqual([]);
  });
});

describe('a config downlink', () => {
  it('is saved, reboots the device about 2 s later, and is answered in the next session', async () => {
    const { clock, cloud, device, of } = await liveDevice();
    await clock.runUntil(minutes(3));
    await cloud.core.queue(await cloud.device(), { type: 'config', lines: ['app config interval-report 900'] });
    await clock.runUntil(hours(1));
    expect(of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'config']);
    const received = of('downlink.received').find(({ type }) => type === 'config')?.at ?? 0;
    expect(of('device.boot')[1]?.at).toBe(received + 10 + seconds(2));
    expect(device.config.number('app', 'interval-report')).toBe(900);
    expect(of('downlink.answered')).toHaveLength(1);
  });

  it('with a wrong line changes nothing, and the poll that fetched it counts as failed', async () => {
    const { clock, cloud, device, of } = await liveDevice();
    await clock.runUntil(minutes(3));
    await cloud.core.queue(await cloud.device(), {
      type: 'config',
      lines: ['app config interval-report 900', 'nonsense'],
    });
    await clock.runUntil(hours(1));
    expect(of('device.boot')).toHaveLength(1);
    expect(device.config.number('app', 'interval-report')).toBe(1800);
    expect(of('downlink.executed').find(({ type }) => type === 'config')).toMatchObject({ ok: false });
    expect(of('poll.failed')).toHaveLength(1);
  });

  it('with a rejected value is saved without that value, and not answered', async () => {
    const { clock, cloud, of } = await liveDevice();
    await clock.runUntil(minutes(3));
    await cloud.core.queue(await cloud.device(), { type: 'config', lines: ['app config interval-report 5'] });
    await clock.runUntil(hours(1));
    expect(of('device.boot')).toHaveLength(2);
    expect(of('downlink.answered')).toEqual([]);
  });
});

describe('a shell downlink', () => {
  it('is answered at once, in a message with its id', async () => {
    const { clock, cloud, of } = await liveDevice();
    await clock.runUntil(minutes(3));
    const row = await cloud.core.queue(await cloud.device(), {
      type: 'shell',
      commands: ['info serial-number', 'foo'],
    });
    await clock.runUntil(hours(1));
    const answer = (await cloud.messages(await cloud.device())).find(
      ({ type, direction }) => type === 'shell' && direction === 'up',
    );
    expect(answer?.body).toEqual({
      message_id: row.id,
      responses: [
        { command: 'info serial-number', result: 0, outputs: [`serial number: ${SERIAL}`] },
        { command: 'foo', result: -8, outputs: ['foo: command not found'] },
      ],
    });
    expect(of('downlink.answered')).toHaveLength(1);
  });

  it('that reboots the device is never answered', async () => {
    const { clock, cloud, of } = await liveDevice();
    await clock.runUntil(minutes(3));
    await cloud.core.queue(await cloud.device(), { type: 'shell', commands: ['kernel reboot'] });
    await clock.runUntil(hours(1));
    expect(of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'shell']);
    expect(of('downlink.delivered').filter(({ evidence }) => evidence !== 'final-ack')).toEqual([]);
    expect(of('downlink.answered')).toEqual([]);
  });
});

describe('polling', () => {
  it('by interval fetches a downlink between two reports', async () => {
    const { clock, cloud, of } = await liveDevice({ config: ['app config interval-poll 60'] });
    await clock.runUntil(minutes(3));
    await cloud.core.queue(await cloud.device(), { type: 'shell', commands: ['info show'] });
    await clock.runUntil(minutes(5));
    expect(of('downlink.answered')).toHaveLength(1);
  });

  it('from the shell fetches a downlink at once', async () => {
    const { clock, cloud, device, of } = await liveDevice();
    await clock.runUntil(minutes(3));
    await cloud.core.queue(await cloud.device(), { type: 'shell', commands: ['info show'] });
    expect(device.shell('cloud poll')).toMatchObject({ code: 0, lines: ['command succeeded'] });
    await clock.runUntil(minutes(4));
    expect(of('downlink.answered')).toHaveLength(1);
  });
});

describe('a reboot', () => {
  it('makes the next socket the first one since a start, which asks for the address of the cloud again', async () => {
    const opened: unknown[] = [];
    const { clock, device } = await liveDevice({ reopen: (_, started) => opened.push(started) });
    await clock.runUntil(minutes(3));
    device.modem.suffer('error');
    await clock.runUntil(minutes(6));
    device.reboot('power');
    await clock.runUntil(minutes(9));
    expect(opened).toEqual([true, false, true]);
  });

  it('loses settings that were written but not saved, the uptime and the time', async () => {
    const { clock, device } = await liveDevice();
    await clock.runUntil(minutes(3));
    device.shell('app config interval-report 60');
    expect(device.shell('app config interval-report').lines).toEqual(['app config interval-report 60']);
    device.reboot('power');
    expect(device.shell('app config interval-report').lines).toEqual(['app config interval-report 1800']);
    expect(device.shell('kernel uptime').lines).toEqual(['Uptime: 0 ms']);
    expect(device.shell('rtc get').lines).toEqual(['1970/01/01 00:00:00 Thu']);
  });

  it('keeps what was saved', async () => {
    const { clock, device } = await liveDevice();
    await clock.runUntil(minutes(3));
    device.shell('app config interval-report 60');
    device.shell('config save');
    expect(device.shell('app config interval-report').lines).toEqual(['app config interval-report 60']);
  });

  it('happens when the cloud has been silent for longer than the interval of the watchdog', async () => {
    let up = true;
    const { clock, of } = await liveDevice({ config: ['app config downlink-wdg-interval 3600'], passes: () => up });
    await clock.runUntil(minutes(3));
    up = false;
    await clock.runUntil(hours(2));
    expect(of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'watchdog']);
  });
});

describe('overridden sensors', () => {
  it('show in the shell, and a power cut is reported as an event', async () => {
    const { clock, cloud, device, of } = await liveDevice();
    await clock.runUntil(minutes(3));
    device.controls.hold('thermometer.temperature', 31.5);
    expect(device.shell('therm read').lines).toEqual(['temperature: 31.50 C']);
    device.controls.hold('backup.line_voltage', 0);
    await clock.runUntil(minutes(4));
    const last = (await cloud.messages(await cloud.device())).filter(({ type }) => type === 'data').at(-1);
    expect(last?.body).toMatchObject({ backup: { state: 'disconnected', events: [{ type: 'disconnected' }] } });
    expect(of('device.wake').at(-1)?.why).toBe('event');
  });

  it('cannot include a quantity that the device type does not have', async () => {
    const { device } = await liveDevice();
    expect(() => device.controls.hold('nose.smell', 1)).toThrow('"nose.smell" is not a quantity of clime');
  });
});

describe('wire W-34: a delivered downlink may not have been received', () => {
  it('a downlink whose only fragment is lost counts as delivered when the next exchange begins', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    let lose = false;
    const live = testDevice({
      clock: cloud.clock,
      events: cloud.events,
      network: (datagram, answer) => {
        const isPoll = packetIn(datagram).flags === 1;
        cloud.clock.after(1, 'datagram', () =>
          cloud.gateway.receive(datagram, 'base64', (reply) => {
            // While `lose` is set, the answers to polls are lost.
            if (!(lose && isPoll)) answer(reply);
          }),
        );
      },
    });
    live.device.powerOn();
    await cloud.clock.runUntil(minutes(3));
    lose = true;
    await cloud.core.queue(await cloud.device(), { type: 'shell', commands: ['info show'] });
    live.device.shell('cloud poll');
    await cloud.clock.runUntil(minutes(5));
    expect(live.of('poll.failed')).toHaveLength(1);
    await cloud.clock.runUntil(minutes(60));
    expect(live.of('downlink.delivered').at(-1)).toMatchObject({ evidence: 'sequence-zero' });
    expect(live.of('downlink.received').filter(({ type }) => type === 'shell')).toEqual([]);
  });
});
