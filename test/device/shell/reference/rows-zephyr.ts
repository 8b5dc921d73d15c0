/** Rows of the shell: Zephyr's tools. */
import { helpOf, type Row, section } from './table.js';

const zephyr = section('S-37');

const BAD = { code: -22 };
/** Lines of `mcuboot` about the running image. */
const PRIMARY = [
  'primary area (1):',
  '  version: 3.5.1+0',
  '  image size: 483328',
  '  magic: unset',
  '  swap type: none',
  '  copy done: unset',
  '  image ok: set',
  '',
];

export const ZEPHYR: readonly Row[] = [
  zephyr('i2c', [helpOf('i2c')], { code: 1 }),
  zephyr('i2c scan i2c0', [
    '     0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f',
    '00:             -- -- -- -- -- -- -- -- -- -- -- -- ',
    '10: -- -- -- -- -- -- -- -- -- 19 -- -- -- -- -- -- ',
    ...[2, 3].map((row) => `${row}0: ${'-- '.repeat(16)}`),
    '40: -- -- -- -- -- 45 -- -- 48 -- -- -- -- -- -- -- ',
    ...[5, 6].map((row) => `${row}0: ${'-- '.repeat(16)}`),
    `70: ${'-- '.repeat(8)}${'   '.repeat(8)}`,
    '3 devices found on i2c0',
  ]),
  zephyr('i2c scan i2c9', ['I2C: Device driver i2c9 not found.'], { code: -19 }),
  zephyr('i2c read i2c0 48', ['Failed to read from device: 48'], { code: -5 }),
  zephyr('i2c write i2c0 48 01', ['Failed to write to device: 48'], { code: -5 }),
  zephyr('gpio', [helpOf('gpio')], { code: 1 }),
  zephyr('gpio conf gpio0 13 o', []),
  zephyr('gpio get gpio0 13', ['0']),
  zephyr(['gpio set gpio0 13 1', 'gpio get gpio0 13'], ['1']),
  zephyr(['gpio set gpio0 13 1', 'gpio set gpio0 13 0', 'gpio get gpio0 13'], ['0']),
  zephyr('gpio set gpio0 13 2', [helpOf('gpio set')], BAD),
  zephyr('gpio get gpio7 0', ['Device gpio7 not found'], { code: -19 }),
  zephyr('gpio get gpio0 32', ['Invalid pin number: 32'], BAD),
  zephyr('mcuboot', [
    'swap type: none',
    'confirmed: 1',
    '',
    ...PRIMARY,
    'failed to read secondary area (2) header: -5',
  ]),
  zephyr(
    'mcuboot',
    [
      'swap type: test',
      'confirmed: 1',
      '',
      ...PRIMARY,
      'secondary area (2):',
      '  version: 3.6.0+0',
      '  image size: 483328',
      '  magic: good',
      '  swap type: test',
    ],
    { host: { images: { requested: 'v3.6.0' } } },
  ),
  zephyr('mcuboot swap', ['mcuboot: wrong parameter count', helpOf('mcuboot')], BAD),
  zephyr('mcuboot confirm', [], { asked: ['confirm image'] }),
  zephyr('mcuboot request_upgrade', []),
  zephyr('mcuboot request_upgrade permanent', []),
  zephyr('settings', [helpOf('settings')], { code: 1 }),
  zephyr('settings list', []),
  zephyr(['ble config passkey 123456', 'config save', 'settings list ble'], ['ble/passkey']),
  zephyr(
    ['ble config passkey 123456', 'config save', 'settings read ble/passkey'],
    ['00000000: 31 32 33 34 35 36 00                             |123456.          |'],
  ),
  zephyr(
    ['app config interval-report 60', 'config save', 'settings read app-clime/interval-report'],
    ['00000000: 3c 00 00 00                                      |<...             |'],
  ),
  zephyr(
    ['settings write string ble/passkey 654321', 'kernel reboot', 'ble config passkey'],
    ['ble config passkey "654321"'],
  ),
  zephyr(
    ['settings write app-clime/interval-report 3c000000', 'kernel reboot', 'app config interval-report'],
    ['app config interval-report 60'],
  ),
  zephyr(
    ['ble config passkey 123456', 'config save', 'settings delete ble/passkey', 'kernel reboot', 'ble config passkey'],
    ['ble config passkey ""'],
  ),
  zephyr('settings read ble/nothing', ['Setting not found'], { code: -2 }),
  zephyr('settings delete ble/nothing', ['Setting not found'], { code: -2 }),
  zephyr('settings write ble/nothing 00', ['Failed to write setting: -22'], BAD),
  zephyr('fs', [helpOf('fs')], { code: 1 }),
  zephyr('fs ls /lfs1', ['spool/'], { host: { spooled: 2 } }),
  zephyr('fs ls /lfs1/spool', ['0', '1'], { host: { spooled: 2 } }),
  zephyr('fs ls', [], {}),
  zephyr('fs ls /sd', ['Unable to open /sd (err -2)'], { code: -8 }),
  zephyr('fs cat /lfs1/spool/1', ['.AB'], { host: { spooled: 2 } }),
  zephyr('fs cat /lfs1/spool/2', ['Failed to obtain file /lfs1/spool/2 (err: -2)'], { host: { spooled: 2 }, code: -8 }),
  zephyr('fs rm /lfs1/spool/1', [], { host: { spooled: 2 }, asked: ['remove spooled 1'] }),
  zephyr('fs rm /lfs1/x', ['Failed to remove /lfs1/x (-2)'], { code: -8 }),
  zephyr('flash', [helpOf('flash')], { code: 1 }),
  zephyr('flash read 0x1000 18', [
    `00001000: ${'ff '.repeat(8)} ${'ff '.repeat(8)}|........ ........|`,
    `00001010: ff ff ${' '.repeat(43)}|..               |`,
  ]),
  zephyr('flash read here', [helpOf('flash read')], BAD),
  zephyr('flash write 0x1000 0xdeadbeef', ['Write OK.', 'Verified.']),
  zephyr('flash erase 0x1000 4096', ['Erase success.']),
  zephyr('flash page_info 0x1004', ['Page for address 0x1004:', 'start offset: 0x1000', 'size: 4096', 'index: 1']),
];
