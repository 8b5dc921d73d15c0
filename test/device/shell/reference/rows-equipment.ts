/** Rows of the shell: probes and tags. */
import { STRANGER } from '../shell-device.js';
import { helpOf, type Row, section } from './table.js';

const probe = section('S-31');
const tag = section('S-35');

const OK = 'command succeeded';
const BAD = { code: -22 };
const HYGRO = ['Temperature: 22.22 C', 'Humidity: 45.7 %'];
const WEATHER = ['rainfall: 1.40 mm', 'wind speed: 2.80 m/s', 'wind direction: 112.50 deg'];
/** The altitude: 44330.77 × (1 - (98640 / 101325)^0.1902632) is 225.94. */
const BAROMETER = ['Altitude: 225.94', 'Pressure: 98640.00', 'Temperature: 21.46'];
const PARTICLES = [
  'Mass Concentration PM1.0: 4.10 ug/m3',
  'Mass Concentration PM2.5: 5.20 ug/m3',
  'Mass Concentration PM4.0: 5.90 ug/m3',
  'Mass Concentration PM10.0: 6.20 ug/m3',
  'Number Concentration PM1.0: 26.00',
  'Number Concentration PM1.0: 31.00',
  'Number Concentration PM2.5: 31.50',
  'Number Concentration PM4.0: 31.60',
  'Number Concentration PM10.0: 31.70',
];
const NOTHING = {
  host: { sensors: { quantity: () => undefined, weather: () => undefined, hygrometer: () => undefined } },
};

const TAGS = { host: { tags: {} } };
const DISABLED = { host: { tags: { enabled: false } }, code: -1 };
const A = '0000000000aa';
const TAG_LINE =
  `addr: ${A} / rssi: -67 dBm / voltage: 2.97 V / temperature: 20.80 C / humidity: 48.25 % ` +
  '/ magnetic sensor: not detected / moving: true / movement event count: 12 / roll: 1.50 / pitch: -2.25 / low battery: false ';
const STRANGER_LINE = 'addr: 0000000000cc / rssi: -35 dBm / voltage: 3.00 V ';
const SLOTS = 8;
const slots = (...filled: readonly string[]) =>
  Array.from({ length: SLOTS }, (_, n) => `tag config devices addr ${n} ${filled[n] ?? '000000000000'}`);
const add = (n: number) => `tag config devices add 00000000000${n}`;
const FULL = Array.from({ length: SLOTS }, (_, n) => add(n + 1));

export const EQUIPMENT: readonly Row[] = [
  probe('hygro', [helpOf('hygro')]),
  probe('hygro read', HYGRO),
  probe('hygro read 2', ['Repetition: 1/2', ...HYGRO, 'Repetition: 2/2', ...HYGRO], { takes: 1 }),
  probe('hygro read 3600', Array.from({ length: 3600 }, (_, n) => [`Repetition: ${n + 1}/3600`, ...HYGRO]).flat(), {
    takes: 3599,
  }),
  probe('hygro read 0', ['invalid range'], BAD),
  probe('hygro read 3601', ['invalid range'], BAD),
  probe('hygro read', ['command failed'], { ...NOTHING, code: -5 }),
  probe('ds18b20', [helpOf('ds18b20')]),
  probe('ds18b20 scan', [OK]),
  probe('ds18b20 read', ['device count: 1', 'serial number 1715004: temperature: 20.50 C', OK]),
  probe(
    'ds18b20 read 2',
    [
      'device count: 1',
      'repetition: 1/2',
      'serial number 1715004: temperature: 20.50 C',
      'repetition: 2/2',
      'serial number 1715004: temperature: 20.50 C',
      OK,
    ],
    { takes: 1 },
  ),
  probe('ds18b20 read x', ['invalid range'], BAD),
  probe('ds18b20 read', ['command failed'], {
    code: -5,
    host: { sensors: { probes: () => [{ serialNumber: 1, temperature: undefined }] } },
  }),
  probe('w1', [helpOf('w1')]),
  probe('w1 scan', ['[1] family: 0x28  serial: 0x0000001a2b3c  rom: 0x283c2b1a00000025', 'found 1 device(s)', OK]),
  probe('rtd', [helpOf('rtd')]),
  probe('rtd read a1 pt100', ['temperature: 21.500 celsius', OK]),
  probe(
    'rtd read b2 pt1000 2',
    ['repetition: 1/2', 'temperature: 21.500 celsius', 'repetition: 2/2', 'temperature: 21.500 celsius', OK],
    { takes: 1 },
  ),
  probe('rtd read c1 pt100', ['invalid channel: c1', helpOf('rtd read')], BAD),
  probe('rtd read a2 k', ['invalid type: k', helpOf('rtd read')], BAD),
  probe('rtd read b1 pt100 0', ['invalid range'], BAD),
  probe('rtd read a1', ['read: wrong parameter count', helpOf('rtd read')], BAD),
  probe('tc', [helpOf('tc')]),
  probe('tc read a1 k', ['temperature: 23.457 celsius', OK]),
  probe('tc read a1 pt100', ['invalid type: pt100', helpOf('tc read')], BAD),
  probe('tc read a1 k', ['command failed'], { ...NOTHING, code: -5 }),
  probe('sps30', [helpOf('sps30')]),
  probe('sps30 read', PARTICLES),
  probe('sps30 read 2', ['repetition: 1/2', ...PARTICLES, 'repetition: 2/2', ...PARTICLES], { takes: 1 }),
  probe('radon', [helpOf('radon')]),
  probe('radon read', ['temperature: 21', 'humidity: 47', 'concentration: 96', 'concentration_daily: 88']),
  probe('meteo', [helpOf('meteo')]),
  probe('meteo read ctr_meteo_a', WEATHER),
  probe('meteo read ctr_meteo_x', ['device not found'], BAD),
  probe('meteo read ctr_meteo_a', ['device not ready'], { ...NOTHING, code: -19 }),
  probe('mpl3115a2', [helpOf('mpl3115a2')]),
  probe('mpl3115a2 read', BAROMETER),
  probe('mpl3115a2 read', ['command failed'], { ...NOTHING, code: -5 }),
  probe('iaq', [helpOf('iaq')]),
  probe('iaq calibrate-co2 0', []),
  probe('iaq calibrate-co2 5000', []),
  probe('iaq calibrate-co2 5001', ['invalid range'], BAD),
  probe('gnss', [helpOf('gnss')]),
  probe('gnss start', ['correlation id: 0']),
  probe(['gnss start', 'gnss stop'], ['correlation id: 1']),
  probe('gnss state', [
    'running: no',
    'fix: 0',
    'satellites: 0',
    'latitude: 0.0000000',
    'longitude: 0.0000000',
    'altitude: 0.0',
  ]),
  // The receiver searches for more than half a minute.
  probe(
    ['gnss start', 'batt measure', 'gnss state'],
    ['running: yes', 'fix: 0', 'satellites: 1', 'latitude: 0.0000000', 'longitude: 0.0000000', 'altitude: 0.0'],
  ),
  probe(
    ['gnss start', 'hygro read 101', 'gnss state'],
    ['running: yes', 'fix: 1', 'satellites: 9', 'latitude: 49.7384137', 'longitude: 13.3736371', 'altitude: 310.3'],
  ),
  probe('backup', [helpOf('backup')]),

  tag('tag', [helpOf('tag')]),
  tag('tag config', [helpOf('tag config')]),
  tag('tag config devices', [helpOf('tag config devices')]),
  tag('tag config show', [
    'tag config enabled false',
    'tag config scan-interval 300',
    'tag config scan-duration 12',
    ...slots(),
  ]),
  tag('tag config enabled', ['tag config enabled false', OK]),
  tag('tag config enabled true', [OK]),
  tag(['tag config enabled true', 'tag config enabled'], ['tag config enabled true', OK]),
  tag('tag config enabled yes', ['invalid input', 'command failed'], BAD),
  tag('tag config scan-interval', ['tag config scan-interval 300', OK]),
  tag('tag config scan-interval 86400', [OK]),
  tag('tag config scan-interval 0', ['invalid input', 'command failed'], BAD),
  tag('tag config scan-duration', ['tag config scan-duration 12', OK]),
  tag('tag config scan-duration 1', [OK]),
  tag('tag config scan-duration 86401', ['invalid input', 'command failed'], BAD),
  tag('tag config scan-duration x', ['invalid input', 'command failed'], BAD),
  tag(`tag config devices add ${A}`, [`tag addr ${A} added to slot 0`, OK]),
  tag(
    [`tag config devices add ${A}`, `tag config devices add ${A}`],
    [`tag addr ${A} already exists`, 'command failed'],
    {
      code: -17,
    },
  ),
  tag(
    [`tag config devices add ${A}`, `tag config devices add ${A.toUpperCase()}`],
    [`tag addr ${A.toUpperCase()} already exists`, 'command failed'],
    { code: -17 },
  ),
  tag([...FULL, add(9)], ['no slot available', 'command failed'], { code: -28 }),
  tag('tag config devices add c0ffee', ['tag addr c0ffee added to slot -22', OK]),
  tag(['tag config devices add c0ffee', 'tag config devices list'], [...slots(), OK]),
  tag([`tag config devices add ${A}`, 'tag config devices list'], [...slots(A), OK]),
  tag([`tag config devices add ${A}`, `tag config devices remove ${A}`], [`tag addr ${A} removed`, OK]),
  tag([`tag config devices add ${A}`, 'tag config devices remove 0'], ['slot 0 removed', OK]),
  ...[A, '0'].map((what) =>
    tag(
      [`tag config devices add ${A}`, `tag config devices remove ${what}`, 'tag config devices list'],
      [...slots(), OK],
    ),
  ),
  tag(`tag config devices remove ${A}`, [`tag addr ${A} not found`, 'command failed'], { code: -2 }),
  tag('tag config devices remove 8', ['slot 8 out of range', 'command failed'], BAD),
  tag('tag config devices remove -1', ['slot -1 out of range', 'command failed'], BAD),
  tag('tag config devices remove 7', ['slot is already empty', 'command failed'], { code: -2 }),
  tag([...FULL, 'tag config devices clear'], [OK]),
  tag([...FULL, 'tag config devices clear', 'tag config devices list'], [...slots(), OK]),
  tag('tag read', ['scanning...', 'scan finished', `slot 0: ${TAG_LINE}`, OK], { ...TAGS, takes: 12 }),
  tag(
    'tag read all',
    [
      'discovering all nearby BLE tags for 60 s...',
      TAG_LINE,
      STRANGER_LINE,
      'scan finished',
      'discovered 2 BLE tag(s)',
      OK,
    ],
    { ...TAGS, takes: 60 },
  ),
  tag(
    'tag read all 300',
    [/ for 300 s\.\.\.$/, TAG_LINE, STRANGER_LINE, 'scan finished', 'discovered 2 BLE tag(s)', OK],
    {
      ...TAGS,
      takes: 300,
    },
  ),
  tag('tag read all 0', ['timeout out of range [1:300]'], { ...TAGS, ...BAD }),
  tag('tag read all 301', ['timeout out of range [1:300]'], { ...TAGS, ...BAD }),
  tag('tag read some', ['unknown parameter: some'], { ...TAGS, ...BAD }),
  tag('tag read', ['tag functionality is disabled', 'command aborted'], DISABLED),
  tag(
    'tag show',
    ['cached data:', `slot 0: ${TAG_LINE}`, 'slot 1: not received data', 'slot 2: not received data', OK],
    TAGS,
  ),
  tag('tag show', ['tag subsystem is disabled', 'command aborted'], DISABLED),
  tag('tag enroll', ['enrolling...', `enrolled addr: ${STRANGER.address}`, OK], { ...TAGS, takes: 2 }),
  tag(['tag enroll', 'tag config devices list'], [...slots(STRANGER.address), OK], TAGS),
  tag('tag enroll -30', ['enrolling...', 'enrollment timed out', OK], { ...TAGS, takes: 12 }),
  tag(['tag enroll', 'tag enroll -128'], ['enrolling...', `enrolled addr: ${A}`, OK], { ...TAGS, takes: 2 }),
  tag('tag enroll -129', ['invalid input, expected [-128:0]dbm'], { ...TAGS, ...BAD }),
  tag('tag enroll 1', ['invalid input, expected [-128:0]dbm'], { ...TAGS, ...BAD }),
  tag([...FULL, 'tag enroll'], ['no slot available for enrollment'], { ...TAGS, code: -28 }),
  tag('tag enroll', ['tag subsystem is disabled', 'command aborted'], DISABLED),
];
