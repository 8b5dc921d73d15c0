import { describe, expect, test } from 'vitest';
import { buildShell } from '../../../src/device/commands/index.js';
import { type FakeHostOptions, fakeHost, finish } from '../shell/fake-host.js';

const GROUPS = ['accel', 'backup', 'batt', 'button', 'channel', 'ds18b20', 'hygro', 'led', 'therm', 'w1'] as const;
const shell = buildShell(GROUPS, []);
/** Runs a command to its end. */
const run = (line: string, options?: FakeHostOptions) => {
  const host = fakeHost(options);
  const { takes, ...result } = finish(host, shell.run(host, line));
  return result;
};
const FAILED = { code: -5, lines: ['command failed'] };

describe('the board', () => {
  test('accel read prints the axes with three decimals', () => {
    expect(run('accel read').lines).toEqual([
      'accel-axis-x: 0.123 m/s^2',
      'accel-axis-y: -0.500 m/s^2',
      'accel-axis-z: 9.810 m/s^2',
      'orientation: 2',
    ]);
  });

  test('therm read prints two decimals', () => {
    expect(run('therm read').lines).toEqual(['temperature: 21.46 C']);
  });

  test('batt measure prints whole millivolts, and the current through 100 ohm', () => {
    // 3512 mV / 100 ohm = 35.12 mA
    expect(run('batt measure').lines).toEqual([
      'rest voltage: 3655 millivolts',
      'load voltage: 3512 millivolts',
      'load current: 35 milliamps',
    ]);
  });

  test('batt load and unload switch the load without a word', () => {
    const host = fakeHost();
    expect(shell.run(host, 'batt load')).toEqual({ code: 0, lines: [] });
    shell.run(host, 'batt unload');
    expect(host.asked).toEqual(['load on', 'load off']);
  });

  test('led switch sets a LED without a word', () => {
    const host = fakeHost();
    expect(shell.run(host, 'led switch yellow on')).toEqual({ code: 0, lines: [] });
    shell.run(host, 'led switch ext off');
    expect(host.asked).toEqual(['led yellow on', 'led ext off']);
  });

  test.each([
    ['blue on', 'invalid channel name'],
    ['red blink', 'invalid command'],
  ])('led switch %s is refused with help', (words, complaint) => {
    const { code, lines } = run(`led switch ${words}`);
    expect([code, ...lines]).toEqual([-22, complaint, 'switch - Switch a LED: red|green|yellow|ext on|off']);
  });

  test('button read tells whether it is pressed', () => {
    expect(run('button read int').lines).toEqual(['pressed: false']);
    expect(run('button read ext').lines).toEqual(['pressed: true']);
    expect(run('button read left').code).toBe(-22);
  });

  test.each(['led', 'batt'])('%s alone prints its help, as a group without handler', (group) => {
    expect(run(group).code).toBe(1);
  });

  test('a sensor that does not answer fails the command', () => {
    const none = {
      sensors: { thermometer: () => undefined, accelerometer: () => undefined, battery: () => undefined },
    };
    for (const line of ['therm read', 'accel read', 'batt measure']) expect(run(line, none)).toEqual(FAILED);
  });
});

describe('probes', () => {
  test('hygro read prints a round, or several under a count', () => {
    expect(run('hygro read').lines).toEqual(['Temperature: 22.22 C', 'Humidity: 45.7 %']);
    expect(run('hygro read 2').lines).toEqual([
      'Repetition: 1/2',
      'Temperature: 22.22 C',
      'Humidity: 45.7 %',
      'Repetition: 2/2',
      'Temperature: 22.22 C',
      'Humidity: 45.7 %',
    ]);
  });

  test.each(['hygro read 0', 'hygro read 3601', 'ds18b20 read x'])('%s is out of range', (line) => {
    expect(run(line)).toEqual({ code: -22, lines: ['invalid range'] });
  });

  test('ds18b20 scan and read', () => {
    expect(run('ds18b20 scan').lines).toEqual(['command succeeded']);
    // 0x1a2b3c = 1715004
    expect(run('ds18b20 read').lines).toEqual([
      'device count: 1',
      'serial number 1715004: temperature: 20.50 C',
      'command succeeded',
    ]);
  });

  test('ds18b20 read fails when a probe does not answer', () => {
    expect(run('ds18b20 read', { sensors: { probes: () => [{ serialNumber: 1, temperature: undefined }] } })).toEqual(
      FAILED,
    );
  });

  test('w1 scan prints family, serial number, and the address as it is on the bus, with its checksum', () => {
    // The address is the family, the serial number from its low byte, and the CRC-8 of these seven bytes.
    expect(run('w1 scan').lines).toEqual([
      '[1] family: 0x28  serial: 0x0000001a2b3c  rom: 0x283c2b1a00000025',
      'found 1 device(s)',
      'command succeeded',
    ]);
  });
});

describe('backup status', () => {
  test('prints module and voltages', () => {
    expect(run('backup status').lines).toEqual([
      'chester-z: detected',
      'serial number: 80ad0005',
      'hw revision: 0104',
      'hw variant: 00000001',
      'fw version: 01020000',
      'dc input: connected',
      'dc voltage: 24100 mV',
      'battery voltage: 4050 mV',
    ]);
  });

  test('without module says so', () => {
    expect(run('backup status', { sensors: { backup: () => undefined } }).lines).toEqual(['chester-z: not detected']);
  });
});

describe('channel', () => {
  const channels: FakeHostOptions = {
    channels: [
      { mode: 'disabled' },
      { mode: 'trigger', active: true, events: 3 },
      { mode: 'counter', value: 12, delta: 5 },
      { mode: 'voltage', last: 1.234, live: 1.5, samples: 4, measurements: 2 },
      { mode: 'current', last: undefined, live: undefined, samples: 0, measurements: 0 },
      { mode: 'voltage', detected: false },
    ],
  };

  test('show prints the state of every channel', () => {
    expect(run('channel show', channels).lines).toEqual([
      'channel 1: disabled',
      'channel 2: trigger, state: active, events: 3',
      'channel 3: counter, value: 12, delta: 5',
      'channel 4: voltage, last: 1.23 V, samples: 4, measurements: 2',
      'channel 5: current, last: NaN, samples: 0, measurements: 0',
      'channel 6: voltage (not detected)',
    ]);
  });

  test('show prints those that are named, up to a name that is none', () => {
    expect(run('channel show 3 1', channels).lines).toEqual([
      'channel 3: counter, value: 12, delta: 5',
      'channel 1: disabled',
    ]);
    expect(run('channel show 1 9', channels)).toEqual({
      code: -22,
      lines: ['channel 1: disabled', 'invalid channel: 9 (1-6)'],
    });
  });

  test('read prints a line a second', () => {
    expect(run('channel read 4 2', channels).lines).toEqual([
      'channel 4: voltage, live: 1.50 V',
      'channel 4: voltage, live: 1.50 V',
      'channel read finished',
    ]);
    expect(run('channel read 3 1', channels).lines[0]).toBe('channel 3: counter, value: 12, delta: 5');
    expect(run('channel read 4', channels).lines).toHaveLength(11);
  });

  test('read needs a channel', () => {
    expect(run('channel read', channels)).toEqual({
      code: -22,
      lines: ['usage: channel read <1-6> [duration_s]'],
    });
    expect(run('channel read x', channels)).toEqual({ code: -22, lines: ['invalid channel: x (1-6)'] });
  });

  test('reset clears the active channels', () => {
    const host = fakeHost(channels);
    expect(shell.run(host, 'channel reset').lines).toEqual([
      'channel 1: not active',
      'channel 2: trigger reset',
      'channel 3: counter reset',
      'channel 4: voltage reset',
      'channel 5: current reset',
      'channel 6: not active',
    ]);
    expect(host.asked).toEqual([2, 3, 4, 5].map((n) => `reset channel ${n}`));
  });
});
