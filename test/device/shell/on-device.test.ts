/**
 * Commands on whole devices, in virtual time: commands that take time, output that comes too late for the cloud, lasting
 * effects.
 */
import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../../src/device/shell/command.js';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { testCloud } from '../../support/cloud.js';
import { type TestDeviceOptions, testDevice } from '../../support/device.js';

/** A device without answers from a cloud, an hour after its start. */
async function offline(profile: string, config: readonly string[] = [], change?: TestDeviceOptions['change']) {
  const rig = testDevice({
    profile,
    config: ['app config mode none', ...config],
    network: () => {},
    ...(change && { change }),
  });
  rig.device.powerOn();
  await rig.clock.runUntil(hours(1));
  return rig;
}

/** Types a line, and returns the printed lines, each with its time in seconds since Enter. */
async function typed({ clock, device }: Awaited<ReturnType<typeof offline>>, line: string, wait: number) {
  const began = clock.now;
  const parts: (readonly [number, readonly string[]])[] = [];
  const note = ({ lines }: CommandResult): void => {
    if (lines.length > 0) parts.push([(clock.now - began) / 1000, lines]);
  };
  note(device.shell(line, note));
  await clock.runUntil(began + wait);
  return parts;
}

describe('on the local shell', () => {
  it('batt measure answers after ten seconds', async () => {
    const parts = await typed(await offline('clime'), 'batt measure', seconds(11));
    expect(parts).toEqual([
      [10, [expect.stringMatching(/^rest/), expect.stringMatching(/^load v/), expect.stringMatching(/^load c/)]],
    ]);
  });

  it('hygro read prints a round each second, and each round reads the sensor again', async () => {
    const rig = await offline('clime');
    rig.clock.after(seconds(1.5), 'warmth', () => rig.device.controls.hold('hygrometer.temperature', 31));
    const parts = await typed(rig, 'hygro read 3', seconds(5));
    expect(parts.map(([at, lines]) => [at, lines[0]])).toEqual([0, 1, 2].map((n) => [n, `Repetition: ${n + 1}/3`]));
    expect(parts[2]?.[1][1]).toBe('Temperature: 31.00 C');
  });

  it('hygro read measures each round at its own time', async () => {
    const parts = await typed(await offline('clime'), 'hygro read 3600', hours(1));
    expect(new Set(parts.map(([, lines]) => lines[1])).size).toBeGreaterThan(1);
  });

  it('a restart of the firmware ends a running command', async () => {
    const rig = await offline('clime');
    rig.clock.after(seconds(5), 'power', () => rig.device.reboot('power'));
    expect(await typed(rig, 'batt measure', seconds(30))).toEqual([]);
  });

  it('sample of motion prints the sample that was taken', async () => {
    const rig = await offline('motion');
    const [[, lines] = [0, []]] = await typed(rig, 'sample', seconds(1));
    expect(lines).toEqual([expect.stringMatching(/^\[\d+\] L=\d+, R=\d+, L->R=\d+, R->L=\d+, 1970-01-01 01:00:00$/)]);
    const listed = rig.device.shell('motion samples').lines;
    expect(listed.at(-1)).toBe(lines[0]);
    expect(listed[0]).toBe(`Motion Samples (${listed.length - 3} total):`);
  });

  it('motion detection prints the detections of each second', async () => {
    const rig = await offline('motion');
    rig.device.controls.pulse('motion.detect_left', { times: 20, every: seconds(20), stays: 0 });
    const parts = await typed(rig, 'motion detection 600', seconds(601));
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.at(-1)?.[1].at(-1)).toBe('Detection monitoring stopped.');
    expect(parts.at(-1)?.[0]).toBe(600);
    expect(parts[1]?.[1][0]).toMatch(
      /^\[01:\d\d:\d\d\] (?:L->R|R->L|L|R) \| delta=\d+ms \| L=\d+ R=\d+ \| motion L->R=\d+ R->L=\d+$/,
    );
  });
});

describe('equipment', () => {
  it('the command measure of Scale weighs at once', async () => {
    const rig = await offline('scale', ['app config weight-measurement-interval 86400']);
    const weighed = () => {
      const { memory } = rig.device.firmware?.measurements ?? { memory: undefined };
      const sensor = rig.device.firmware?.measurements.find('weight');
      return memory && sensor ? memory.sampleCount(sensor) : Number.NaN;
    };
    expect(weighed()).toBe(0);
    rig.device.shell('test');
    expect(weighed()).toBe(0);
    rig.device.shell('measure');
    expect(weighed()).toBe(1);
  });

  it('a calibration of current is in effect and saved at once; other unsaved changes stay unsaved', async () => {
    const rig = await offline('current', ['app config channel-active-2 true']);
    rig.device.controls.hold('analog_channel.2.raw_rms', 100);
    rig.device.shell('app config interval-report 60');
    rig.device.shell('current channel-2 calib set-0 0');
    rig.device.controls.hold('analog_channel.2.raw_rms', 200);
    expect(rig.device.shell('current channel-2 calib set-1 50').lines).toEqual([
      expect.stringMatching(/^Channel 2: avg=\d+\.\d rms=200\.0 \(using rms\), point 1 set \(x1=200\.00, y1=50\.00\)$/),
    ]);
    rig.device.controls.hold('analog_channel.2.raw_rms', 150);
    expect(rig.device.shell('current channel-2 read').lines[0]).toMatch(/ mV \(mode=rms, calibrated: 25\.00\)$/);
    await rig.clock.runUntil(rig.clock.now + seconds(61));
    const { measurements } = rig.device.firmware ?? {};
    const sensor = measurements?.find('analog_channel', 2);
    const place = sensor?.spec.quantities.findIndex(({ name }) => name === 'calibrated') ?? -1;
    expect(sensor && measurements?.memory.last(sensor, place)).toBeCloseTo(25);
    rig.device.reboot('power');
    expect(rig.device.shell('app config channel-calib-x1-2').lines).toEqual(['app config channel-calib-x1-2 200.00']);
    expect(rig.device.shell('app config interval-report').lines).toEqual(['app config interval-report 900']);
  });

  it('gnss finds its position after more than half a minute, and a reboot discards the position', async () => {
    const rig = await offline('demo');
    rig.device.shell('gnss start');
    expect(rig.device.shell('gnss state').lines.slice(0, 3)).toEqual(['running: yes', 'fix: 0', 'satellites: 0']);
    await rig.clock.runUntil(rig.clock.now + minutes(1));
    expect(rig.device.shell('gnss state').lines.slice(0, 3)).toEqual(['running: yes', 'fix: 1', 'satellites: 6']);
    expect(rig.device.shell('gnss state').lines[3]).toMatch(/^latitude: (?:49|50)\.\d{7}$/);
    rig.device.reboot('power');
    expect(rig.device.shell('gnss state').lines.slice(0, 3)).toEqual(['running: no', 'fix: 0', 'satellites: 0']);
    expect(rig.device.shell('gnss start').lines).toEqual(['correlation id: 0']);
  });

  it('gnss of a CHESTER-U1 uses its modem, which reports no details', async () => {
    const { device, clock } = testDevice({ profile: 'demo', serial: 0x80d00001, network: () => {} });
    device.powerOn();
    await clock.runUntil(minutes(1));
    // The request for a session gets no answer. After the request is discarded, the modem sleeps.
    device.link.reset();
    device.modem.stop();
    device.modem.start();
    await clock.runUntil(minutes(2) + seconds(5));
    device.shell('gnss start');
    expect(device.shell('lte state').lines).toContain('fsm-state: gnss');
    expect(device.shell('gnss state').lines.slice(0, 3)).toEqual(['running: yes', 'fix: 0', 'satellites: 0']);
    await clock.runUntil(minutes(3));
    expect(device.shell('gnss state').lines.slice(0, 3)).toEqual(['running: yes', 'fix: -1', 'satellites: -1']);
    device.shell('gnss stop');
    expect(device.shell('lte state').lines).toContain('fsm-state: sleep');
  });

  it('meteo shows rain since the last window', async () => {
    const rig = await offline('meteo', ['app config interval-aggreg 86400']);
    const rain = () => rig.device.shell('meteo read ctr_meteo_a').lines[0];
    const before = Number(/[\d.]+/.exec(rain() ?? '')?.[0]);
    rig.device.controls.pulse('rain_gauge.tips', { times: 5, every: seconds(1), stays: 0 });
    await rig.clock.runUntil(rig.clock.now + seconds(10));
    expect(Number(/[\d.]+/.exec(rain() ?? '')?.[0])).toBeGreaterThanOrEqual(before + 5 * 0.2794 - 0.01);
  });

  /** A device that listens to one tag. */
  async function listening() {
    const rig = await offline('push');
    for (const line of ['tag config enabled true', 'tag config devices add 0000000000aa', 'config save'])
      rig.device.shell(line);
    await rig.clock.runUntil(rig.clock.now + minutes(3));
    return rig;
  }

  it('tags are read, shown, searched for and enrolled', async () => {
    const rig = await listening();
    const read = await typed(rig, 'tag read', seconds(13));
    expect(read).toEqual([
      [0, ['scanning...']],
      [
        12,
        [
          'scan finished',
          expect.stringMatching(/^slot 0: addr: 0000000000aa \/ rssi: -\d+ dBm \/ voltage: /),
          'command succeeded',
        ],
      ],
    ]);
    expect(rig.device.shell('tag show').lines.slice(0, 3)).toEqual([
      'cached data:',
      expect.stringMatching(/^slot 0: addr: 0000000000aa .* $/),
      'slot 1: not received data',
    ]);
    const [, [, found] = [0, []]] = await typed(rig, 'tag read all 5', seconds(6));
    expect(found.at(-2)).toBe('discovered 2 BLE tag(s)');
    const stranger = /addr: (\w{12})/.exec(found[1] ?? '')?.[1];
    // The tag is in range, but not next to the device.
    expect((await typed(rig, 'tag enroll -1', seconds(20))).at(-1)).toEqual([
      12,
      ['enrollment timed out', 'command succeeded'],
    ]);
    rig.device.controls.hold('ble_tag.2.rssi', -20);
    expect((await typed(rig, 'tag enroll', seconds(20))).at(-1)).toEqual([
      2,
      [`enrolled addr: ${stranger}`, 'command succeeded'],
    ]);
    expect(rig.device.shell('tag config devices list').lines[1]).toBe(`tag config devices addr 1 ${stranger}`);
    rig.device.shell('config save');
    await rig.clock.runUntil(rig.clock.now + minutes(3));
    expect(rig.device.shell('tag show').lines[2]).toMatch(new RegExp(`^slot 1: addr: ${stranger} / rssi: -20 dBm `));
  });

  it('a search for all tags does not start twice', async () => {
    const rig = await listening();
    rig.device.shell('tag read all');
    expect(rig.device.shell('tag read all')).toMatchObject({ code: -16, lines: ['discover already in progress'] });
    await rig.clock.runUntil(rig.clock.now + seconds(60));
    expect(rig.device.shell('tag read all').code).toBe(0);
  });

  it('unsent messages are files', async () => {
    const rig = await offline('clime');
    rig.device.shell('cloud spool fake 3');
    expect(rig.device.shell('fs ls /lfs1/spool').lines).toEqual(['0', '1', '2']);
    rig.device.shell('fs rm /lfs1/spool/1');
    expect(rig.device.shell('cloud spool count').lines).toEqual(['spool messages: 2']);
  });

  it('the button, held through a boot for 7 s, erases the settings; held for 4 s or 11 s, it does not', async () => {
    const reset = async (held: number) => {
      const rig = await offline('clime');
      rig.device.shell('app config interval-report 60');
      rig.device.shell('config save');
      rig.device.controls.press('int', seconds(held));
      rig.device.reboot('power');
      await rig.clock.runUntil(rig.clock.now + seconds(60));
      return rig.device.shell('app config interval-report').lines[0];
    };
    expect(await reset(4)).toBe('app config interval-report 60');
    expect(await reset(7)).toBe('app config interval-report 1800');
    expect(await reset(11)).toBe('app config interval-report 60');
  });
});

describe('from the cloud', () => {
  /** Lets a device with a session poll for the commands; returns the device, and the seconds from downlink to answer. */
  async function asked(profile: string, commands: readonly string[]) {
    const cloud = await testCloud();
    await cloud.addDevice();
    const { clock, gateway } = cloud;
    const rig = testDevice({
      clock,
      profile,
      network: (datagram, answer) => {
        clock.after(1, 'datagram', () => gateway.receive(datagram, 'base64', answer));
      },
    });
    rig.device.powerOn();
    await clock.runUntil(minutes(2));
    const row = await cloud.device();
    await cloud.core.queue(row, { type: 'shell', commands });
    rig.device.shell('cloud poll');
    await clock.runUntil(minutes(5));
    const received = rig.of('downlink.received').find(({ type }) => type === 'shell');
    const answered = rig.of('uplink.made').find(({ type }) => type === 'shell');
    return { took: ((answered?.at ?? Number.NaN) - (received?.at ?? Number.NaN)) / 1000, rig };
  }

  it('the answer waits for a command that takes time, and the next command runs after it', async () => {
    const { took } = await asked('clime', ['batt measure', 'hygro read 5']);
    expect(took).toBe(14);
  });

  it('an answer that is longer than a message can be is not sent, and the poll counts as failed', async () => {
    // 100 answers of some 350 bytes are more than the 16,383 bytes of the longest message.
    const { took, rig } = await asked('clime', new Array(100).fill('info show'));
    expect(took).toBeNaN();
    expect(rig.of('poll.failed')).toMatchObject([{ why: 'downlink could not be carried out' }]);
  });

  it('the radio sleeps while a command runs, and the answer wakes it', async () => {
    const { rig } = await asked('clime', ['batt measure']);
    expect(rig.of('device.wake').at(-1)?.why).toBe('answer');
  });
});
