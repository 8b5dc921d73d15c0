/** Serial: devices in slots, their samples in reports, and the commands about them. */
import { describe, expect, it } from 'vitest';
import { runRemoteConfig } from '../../src/device/shell/remote.js';
import { minutes, seconds } from '../../src/kernel/time.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { testDevice } from '../support/device.js';
import { rig } from './measuring/fixtures.js';

const MODBUS = { 'serial-mode': 'modbus' };

describe('the devices of a report', () => {
  it('have the keys of their type and no others, whatever the type', () => {
    const serial = packagedProfiles().get('serial');
    const types = serial?.sensors.filter(({ present }) => present?.kind === 'device') ?? [];
    expect(types).toHaveLength(10);
    for (const { name, quantities } of types) {
      const device = rig({ profile: 'serial', settings: { ...MODBUS, 'device-3': `${name},17` } });
      device.until(seconds(70));
      const [entry] = device.report().devices;
      const slot = serial?.modules[0]?.parameters.find((spec) => spec.name === 'device-3');
      const type = slot?.type === 'string' ? slot.types?.[name] : undefined;
      expect(entry).toMatchObject({ device: 3, type, type_name: name, addr: 17 });
      expect(entry.data).toHaveLength(2);
      for (const sample of entry.data) {
        expect(Object.keys(sample)).toEqual(['timestamp', ...quantities.map((quantity) => quantity.name)]);
        for (const value of Object.values(sample)) expect(value).toEqual(expect.any(Number));
      }
      expect(entry.data[1].timestamp - entry.data[0].timestamp).toBe(60);
    }
  });

  it('are in the order of their slots, whatever their type', () => {
    const settings = { ...MODBUS, 'device-6': 'em1xx,1', 'device-1': 'iem3000,2', 'device-4': 'em1xx,3' };
    const device = rig({ profile: 'serial', settings });
    device.until(seconds(20));
    const devices: readonly { device: number; addr: number }[] = device.report().devices;
    expect(devices.map((entry) => [entry.device, entry.addr])).toEqual([
      [1, 2],
      [4, 3],
      [6, 1],
    ]);
  });

  it('have values of single precision, unless the values are scaled to integers', () => {
    const device = rig({ profile: 'serial', settings: { ...MODBUS, 'device-0': 'em1xx,1' } });
    device.set('em1xx.1.power', 0.936);
    device.set('em1xx.1.voltage', 231.4);
    device.until(seconds(20));
    const [sample] = device.report().devices[0].data;
    expect(sample.power).toBe(Math.fround(0.936));
    expect(sample.voltage).toBe(231.4);
  });

  it('have no key in a report if no device is configured, and no entry if a device has no sample', () => {
    const none = rig({ profile: 'serial' });
    none.until(minutes(1));
    expect(none.report()).not.toHaveProperty('devices');
    const silent = rig({ profile: 'serial', settings: { ...MODBUS, 'device-0': 'em1xx,1', 'device-1': 'generic,2' } });
    silent.set('em1xx.1.voltage', null);
    silent.until(minutes(1));
    expect(silent.report().devices).toEqual([]);
  });
});

describe('a slot', () => {
  const shell = (config: readonly string[] = [], profile = 'serial') => {
    const { device } = testDevice({ profile, config, network: () => {} });
    device.powerOn();
    return (line: string) => device.shell(line);
  };

  it('is unchanged if its type is unknown, and the error lists all types', () => {
    const run = shell();
    expect(run('app config device-0 fridge,1')).toEqual({
      code: 0,
      lines: [
        'Invalid format. Use: type[,addr[,timeout]]',
        '  Types: none, sensecap_s1000, cubic_6303, lambrecht,',
        '         generic, microsens_180hs, or_we_504, em1xx,',
        '         or_we_516, em5xx, iem3000, promag_mf7s,',
        '         flowt_ft201, piketronic, solax_g3',
        '  addr:  1-247 (required for Modbus mode)',
        '  timeout: seconds (default 1)',
      ],
      rejected: true,
    });
    expect(run('app config device-0').lines).toEqual(['app config device-0 ""']);
  });

  it.each([
    ['em1xx', '  [0] em1xx (addr=0, timeout=1s)'],
    ['em1xx,300,5', '  [0] em1xx (addr=0, timeout=5s)'],
    ['em1xx,,12,0', '  [0] em1xx (addr=12, timeout=1s)'],
    ['generic,247,x', '  [0] generic (addr=247, timeout=1s)'],
    ['none,3', '  (none)'],
    ['', '  (none)'],
  ])('is read as leniently as by the firmware: "%s"', (slot, line) => {
    const run = shell([`app config device-0 "${slot}"`]);
    expect(run('device list').lines).toEqual(['Configured devices:', line]);
  });

  it('is checked by "app config save", which saves nothing', () => {
    const run = shell();
    const help = run('app config').lines;
    expect(run('app config save')).toEqual({ code: 0, lines: help, rejected: true });
    run('app config device-1 em1xx,1');
    const complaint = 'Transparent mode: only device-0 allowed (device-1 is set)';
    expect(run('app config save')).toEqual({ code: -22, lines: [complaint] });
    run('app config serial-mode modbus');
    run('app config device-2 em5xx');
    const wanted = 'Modbus mode: device-2 requires address (1-247)';
    expect(run('app config save')).toEqual({ code: -22, lines: [wanted] });
  });

  it('is checked as earlier lines of the same downlink have set it', () => {
    const { device } = testDevice({ profile: 'serial', config: [], network: () => {} });
    device.powerOn();
    const { firmware } = device;
    if (firmware === undefined) throw new Error('no firmware runs');
    const lines = ['app config serial-mode modbus', 'app config device-2 em5xx', 'app config save'];
    expect(runRemoteConfig(device.type.shell, firmware.getShellHost(), lines)).toMatchObject({
      kind: 'stopped',
      line: 'app config save',
      code: -22,
    });
  });

  it('is the only one on an RS-232 line: "app config save" rejects a second device', () => {
    const run = shell(['app config device-0 promag_mf7s'], 'serial-rs232');
    run('app config device-3 em1xx,1');
    const complaint = 'RS-232: max 1 device allowed (found 2)';
    expect(run('app config save')).toEqual({ code: -22, lines: [complaint] });
  });
});
