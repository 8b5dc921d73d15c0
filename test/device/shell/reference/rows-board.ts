/** Rows of the shell: the board, and its Bluetooth. */
import { helpOf, type Row, section } from './table.js';

const board = section('S-30');
const ble = section('S-48');

const FAILED = { code: -5 };

export const BOARD: readonly Row[] = [
  board('led', [helpOf('led')]),
  board('led foo', ['command not found: foo', helpOf('led')], { code: -22 }),
  board('led switch red on', [], { asked: ['led red on'] }),
  board('led switch green off', [], { asked: ['led green off'] }),
  board('led switch yellow on', [], { asked: ['led yellow on'] }),
  board('led switch ext on', [], { asked: ['led ext on'] }),
  board('led switch blue on', ['invalid channel name', helpOf('led switch')], { code: -22 }),
  board('led switch red blink', ['invalid command', helpOf('led switch')], { code: -22 }),
  board('button', [helpOf('button')]),
  board('button read int', ['pressed: false']),
  board('button read ext', ['pressed: true']),
  board('button read left', ['invalid channel name', helpOf('button read')], { code: -22 }),
  board(
    'batt measure',
    ['rest voltage: 3655 millivolts', 'load voltage: 3512 millivolts', 'load current: 35 milliamps'],
    {
      takes: 10,
      asked: ['load on', 'load off'],
    },
  ),
  board('batt measure', ['command failed'], { ...FAILED, takes: 1, host: { sensors: { battery: () => undefined } } }),
  board('batt load', [], { asked: ['load on'] }),
  board('batt unload', [], { asked: ['load off'] }),
  board('accel', [helpOf('accel')]),
  board('accel read', [
    'accel-axis-x: 0.123 m/s^2',
    'accel-axis-y: -0.500 m/s^2',
    'accel-axis-z: 9.810 m/s^2',
    'orientation: 2',
  ]),
  board('accel read', ['command failed'], { ...FAILED, host: { sensors: { accelerometer: () => undefined } } }),
  board('therm', [helpOf('therm')]),
  board('therm read', ['temperature: 21.46 C']),
  board('therm read', ['command failed'], { ...FAILED, host: { sensors: { thermometer: () => undefined } } }),

  ble('ble', [helpOf('ble')]),
  ble('ble config show', ['ble config passkey ""']),
  ble(['ble config passkey 123456', 'ble config passkey'], ['ble config passkey "123456"']),
  // Only builds with the BLE client have this command.
  ble('ble neighbor reboot x y', ['command not found: neighbor', helpOf('ble')], { code: -22 }),
];
