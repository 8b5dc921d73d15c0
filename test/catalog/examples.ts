/**
 * The lines that commands.test.ts types to try the commands of the catalog, and the published lines that no example prints,
 * each with the reason.
 */
import type { Device } from '../../src/device/device.js';

export interface Example {
  /** The command as the catalog names it. */
  readonly command: string;
  /** Applications on which to try the command. Default: all that have it. */
  readonly of?: readonly string[];
  /** The lines to type. Only the output of the last one is checked. */
  readonly typed: string | readonly string[];
  /** Configuration lines in the flash before the first start. */
  readonly config?: readonly string[];
  /** Expected result code; default 0. With another code, the output must contain a complaint. */
  readonly code?: number;
  /** Whether the output may also have lines that are not published. */
  readonly among?: boolean;
  readonly prepare?: (device: Device) => void;
}

const BAD = -22;
const NO_DEVICE = -19;
const NOT_SUPPORTED = -134;
const TIMED_OUT = -116;
const FAILED = -5;

const CHANNELS = ['trigger', 'counter', 'voltage', 'current'].map(
  (mode, n) => `app config channel-mode-${n + 1} ${mode}`,
);
const METER = ['app config serial-mode modbus', 'app config device-0 em1xx,1'];
/** Makes a sensor stop answering. */
const silence = (quantity: string) => (device: Device) => device.controls.hold(quantity, Number.NaN);

const plain = (command: string): readonly Example[] => [
  { command, typed: command },
  { command, typed: `${command} now`, code: BAD },
];
const shows = (command: string, ...typed: readonly string[]): readonly Example[] =>
  typed.map((line) => ({ command, typed: line }));

export const EXAMPLES: readonly Example[] = [
  { command: 'app config', typed: 'app config show' },
  ...['sample', 'aggreg', 'send', 'measure', 'test'].flatMap(plain),
  { command: 'poll', typed: 'poll' },
  { command: 'poll', of: ['control'], typed: 'poll now', code: BAD },

  // Clime
  { command: 'backup status', typed: 'backup status' },
  { command: 'backup status', prepare: silence('backup.line_voltage'), typed: 'backup status' },
  ...shows('cloud spool count|fake <1-100>|clean', 'cloud spool count', 'cloud spool fake 3', 'cloud spool clean'),
  { command: 'cloud config', typed: 'cloud config spool-size' },

  // Control
  { command: 'channel show', config: CHANNELS, typed: 'channel show' },
  { command: 'channel show', config: CHANNELS, typed: 'channel show 9', code: BAD },
  {
    command: 'channel show',
    config: ['app config channel-mode-1 voltage', 'app config analog-interval-sample 86400'],
    prepare: silence('voltage.1.voltage'),
    typed: ['sample', 'channel show 1'],
  },
  { command: 'channel read', config: CHANNELS, typed: 'channel read 3 2' },
  { command: 'channel read', config: CHANNELS, typed: 'channel read 4 1' },
  { command: 'channel read', typed: 'channel read', code: BAD },
  { command: 'channel read', typed: 'channel read 9', code: BAD },
  { command: 'channel reset', config: CHANNELS, typed: 'channel reset' },
  { command: 'channel reset', typed: 'channel reset 0', code: BAD },

  // Current
  ...[1, 4].flatMap((n) => shows('current channel-<1..4> read', `current channel-${n} read`)),
  {
    command: 'current channel-<1..4> read',
    config: ['app config channel-calib-x1-1 10', 'app config channel-calib-y1-1 100'],
    typed: 'current channel-1 read',
  },
  {
    command: 'current channel-<1..4> read',
    prepare: silence('analog_channel.1.raw_rms'),
    typed: 'current channel-1 read',
    code: FAILED,
  },
  ...shows(
    'current channel-<1..4> calib set-0|set-1',
    'current channel-1 calib set-0 10',
    'current channel-2 calib set-1 20',
  ),
  { command: 'current channel-<1..4> calib show', typed: 'current channel-3 calib show' },
  { command: 'current channel-<1..4> calib reset', typed: 'current channel-3 calib reset' },
  ...shows('current channel-<1..4> calib mode', 'current channel-3 calib mode', 'current channel-3 calib mode avg'),
  { command: 'current channel-<1..4> calib mode', typed: 'current channel-3 calib mode max', code: BAD },

  // Demo
  ...shows('gnss start|stop|state', 'gnss start', 'gnss state', 'gnss stop'),

  // Meteo
  { command: 'sensors_read', typed: 'sensors_read' },
  { command: 'meteo read', typed: 'meteo read ctr_meteo_a' },
  { command: 'meteo read', typed: 'meteo read ctr_meteo_z', code: BAD },
  { command: 'mpl3115a2 read', typed: 'mpl3115a2 read' },
  { command: 'mpl3115a2 read', prepare: silence('barometer.pressure'), typed: 'mpl3115a2 read', code: FAILED },

  // Motion
  { command: 'motion samples', typed: 'motion samples' },
  { command: 'motion detection', typed: 'motion detection 1800' },
  { command: 'motion detection', typed: 'motion detection 1801', code: BAD },

  // Serial
  { command: 'app config save', typed: 'app config save' },
  { command: 'app config save', typed: ['app config device-2 em1xx', 'app config save'], code: BAD },
  { command: 'app config save', config: METER, typed: ['app config device-2 em1xx', 'app config save'], code: BAD },
  { command: 'serial send', typed: 'serial send 0103000a0001 2' },
  { command: 'serial send', typed: 'serial send 010', code: BAD },
  { command: 'serial recv', typed: 'serial recv' },
  { command: 'modbus read', config: METER, typed: 'modbus read 1 0 20' },
  { command: 'modbus read', config: METER, typed: 'modbus read 0x1 0x10 2 holding' },
  { command: 'modbus read', config: METER, typed: 'modbus read 1 0 33', code: BAD },
  { command: 'modbus read', config: METER, typed: 'modbus read 2 0 1', code: TIMED_OUT },
  { command: 'modbus write', config: METER, typed: 'modbus write 1 0x10 500' },
  { command: 'modbus write', config: METER, typed: 'modbus write 2 0 1', code: TIMED_OUT },
  { command: 'modbus sample', config: METER, typed: 'modbus sample' },
  { command: 'modbus sample', typed: 'modbus sample', code: BAD },
  { command: 'device list', config: METER, typed: 'device list' },
  { command: 'device list', typed: 'device list' },
  { command: 'device sample', config: METER, typed: 'device sample 0' },
  { command: 'device sample', config: METER, typed: 'device sample 8', code: BAD },
  { command: 'device sample', config: METER, typed: 'device sample 1', code: NO_DEVICE },
  { command: 'device sample', config: ['app config device-0 generic'], typed: 'device sample 0', code: NOT_SUPPORTED },
  { command: 'device reset', config: METER, typed: 'device reset 0' },
  { command: 'device reset', config: METER, typed: 'device reset 1', code: NO_DEVICE },
  { command: 'device reset', config: ['app config device-0 generic'], typed: 'device reset 0', code: NOT_SUPPORTED },
  {
    command: 'device reset',
    config: METER,
    prepare: silence('em1xx.1.voltage'),
    typed: 'device reset 0',
    code: TIMED_OUT,
  },

  // wM-Bus
  { command: 'app config address', typed: ['app config address add 1234', 'app config address'] },
  {
    command: 'app config address',
    typed: ['app config address gen 3', 'app config address remove 81763001', 'app config address'],
  },
  { command: 'app config address', typed: 'app config show', among: true },
  { command: 'app config address', typed: 'app config address add 12x', code: BAD },
  { command: 'app config address', typed: 'app config address add 99999999999', code: BAD },
  { command: 'app config address', typed: ['app config address add 7', 'app config address add 7'], code: BAD },
  { command: 'app config address', typed: ['app config address gen 120', 'app config address add 7'], code: BAD },
  { command: 'app config address', typed: 'app config address remove 7', code: BAD },
  ...['scan', 'timeout', 'send', 'on', 'off', 'config', 'push', 'poll'].map((word) => ({
    command: 'wm scan|timeout|send|on|off|config|push|poll',
    typed: `wm ${word}`,
  })),
  { command: 'wm enroll', typed: 'wm enroll 30 -80' },
  { command: 'wm enroll', typed: 'wm enroll 4', code: BAD },
  { command: 'wm enroll', typed: 'wm enroll 5 1', code: BAD },
  { command: 'wm weekday', typed: 'wm weekday' },
  { command: 'wm ant', typed: 'wm ant 1 0' },
  { command: 'wm poll_ts', typed: 'wm poll_ts' },
  { command: 'wm heap', typed: 'wm heap' },
];

/** Reasons why no example prints a line or tries a command, by `<application> <command>: <line>`. */
export const NOT_PRINTED: Readonly<Record<string, string>> = {
  'control channel show: channel <n>: <mode> (not detected)': 'every device has the modules of its build',
  'meteo meteo read: device not ready': 'every device has the modules of its build',
  'meteo mpl3115a2 read: device not found': 'every device has the modules of its build',
  'meteo mpl3115a2 read: device not ready': 'every device has the modules of its build',
  ...Object.fromEntries(
    [
      'app modbus',
      'app modbus_set_sensecap',
      'app modbus_set_sensecap: Setting SenseCAP address...',
      'app modbus_set_sensecap: Command sent successfully. Target address is <n>.',
      'app modbus_set_sensecap: Please power-cycle the SenseCAP sensor to apply the change.',
      "app modbus_set_sensecap: Invalid address '<x>'. Must be 1-247.",
      'app modbus_set_cubic',
      'app modbus_set_cubic: Setting Cubic PM address...',
      'app modbus_set_cubic: Command sent successfully. Target address is <n>.',
    ].map((what) => [`meteo ${what}`, 'Modbus stations belong to another build']),
  ),
  'serial app config save: RS-232: max 1 device allowed (found <n>)': 'belongs to the build for RS-232',
  'serial serial send: RX (<n> bytes):': 'devices on the line answer only the firmware',
  'serial serial recv: Received <n> bytes:': 'devices on the line answer only the firmware',
  'serial modbus read: Failed to enable Modbus: <errno>': 'the module of the line never fails',
  'serial device <driver> ...': 'the catalog does not say what these commands print',
  'wmbus wm poll_ts: ts: <unix>, date: <text>': 'needs a cloud; see test/device/commands/attached.test.ts',
};
