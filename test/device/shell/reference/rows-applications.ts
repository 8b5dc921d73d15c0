/** Rows of the shell: S-38, and the commands of the catalog except for Serial and wM-Bus. */
import type { ShellDeviceOptions } from '../shell-device.js';
import { helpOf, type Row, section } from './table.js';

const work = section('S-38');
const app = section('apps');

const BAD = { code: -22 };
const channels: ShellDeviceOptions = {
  channels: [
    { mode: 'disabled' },
    { mode: 'trigger', active: true, events: 3 },
    { mode: 'counter', value: 12, delta: 5 },
    { mode: 'voltage', last: 1.234, live: 1.5, samples: 4, measurements: 2 },
    { mode: 'voltage', last: undefined, live: 1.5, samples: 0, measurements: 0 },
    { mode: 'current', last: 4.2, live: 4.25, samples: 1, measurements: 0 },
    { mode: 'trigger', active: false, events: 0 },
    { mode: 'disabled' },
  ],
};
const LIVE = { host: channels };
const INPUTS = { host: { inputs: {} } };
const SILENT = { host: { inputs: { silent: true } }, code: -5 };
const CALIBRATED = [
  'current channel-1 calib set-0 10',
  'current channel-1 calib mode avg',
  'current channel-1 calib set-1 20',
];
const MOTION = {
  host: {
    motion: [
      { detectLeft: 4, detectRight: 5, motionLeft: 1, motionRight: 2, time: 1_786_106_096 },
      { detectLeft: 0, detectRight: 0, motionLeft: 0, motionRight: 0, time: 1_786_106_156 },
      { detectLeft: 1, detectRight: 1, motionLeft: 0, motionRight: 1, time: 1_786_106_216 },
    ],
  },
};
const HEAD = ['Format: [time] direction | delta | L R | pass L->R R->L', ''];
const unknown = (word: string) => work(`${word} now`, ['unknown parameter: now', helpOf(word)], { ...BAD, asked: [] });

export const APPLICATIONS: readonly Row[] = [
  work('sample', [], { asked: ['sample'] }),
  work('send', [], { asked: ['report'] }),
  work('aggreg', [], { asked: ['aggregate'] }),
  work('poll', [], { asked: ['poll'] }),
  work('measure', [], { asked: ['measure weight'] }),
  work('test', [], { asked: [] }),
  ...['sample', 'send', 'aggreg', 'poll', 'measure', 'test'].map(unknown),
  work('app', [helpOf('app')]),
  work('app foo', ['command not found: foo', helpOf('app')], BAD),
  work('app config mode', ['app config mode "none"']),

  app('backup status', [
    'chester-z: detected',
    'serial number: 80ad0005',
    'hw revision: 0104',
    'hw variant: 00000001',
    'fw version: 01020000',
    'dc input: connected',
    'dc voltage: 24100 mV',
    'battery voltage: 4050 mV',
  ]),
  app('backup status', ['chester-z: not detected'], { host: { sensors: { backup: () => undefined } } }),
  app('cloud config spool-size', ['cloud config spool-size 10']),

  app('channel', [helpOf('channel')]),
  app(
    'channel show',
    [
      'channel 1: disabled',
      'channel 2: trigger, state: active, events: 3',
      'channel 3: counter, value: 12, delta: 5',
      'channel 4: voltage, last: 1.23 V, samples: 4, measurements: 2',
      'channel 5: voltage, last: NaN, samples: 0, measurements: 0',
      'channel 6: current, last: 4.20 mA, samples: 1, measurements: 0',
      'channel 7: trigger, state: inactive, events: 0',
      'channel 8: disabled',
    ],
    LIVE,
  ),
  app('channel show 3 1', ['channel 3: counter, value: 12, delta: 5', 'channel 1: disabled'], LIVE),
  app('channel show 9', ['invalid channel: 9 (1-8)'], { ...LIVE, ...BAD }),
  app('channel show 1 9', ['channel 1: disabled', 'invalid channel: 9 (1-8)'], { ...LIVE, ...BAD }),
  app(
    'channel read 4 2',
    ['channel 4: voltage, live: 1.50 V', 'channel 4: voltage, live: 1.50 V', 'channel read finished'],
    {
      ...LIVE,
      takes: 1,
    },
  ),
  app(
    'channel read 6',
    [...Array.from({ length: 10 }, () => 'channel 6: current, live: 4.25 mA'), 'channel read finished'],
    {
      ...LIVE,
      takes: 9,
    },
  ),
  app('channel read 3 1', ['channel 3: counter, value: 12, delta: 5', 'channel read finished'], LIVE),
  app('channel read', ['usage: channel read <1-8> [duration_s]'], { ...LIVE, ...BAD }),
  app('channel read 0', ['invalid channel: 0 (1-8)'], { ...LIVE, ...BAD }),
  app(
    'channel reset',
    [
      'channel 1: not active',
      'channel 2: trigger reset',
      'channel 3: counter reset',
      'channel 4: voltage reset',
      'channel 5: voltage reset',
      'channel 6: current reset',
      'channel 7: trigger reset',
      'channel 8: not active',
    ],
    LIVE,
  ),
  app('channel reset 3', ['channel 3: counter reset'], { ...LIVE, asked: ['reset channel 3'] }),
  app('channel reset x', ['invalid channel: x (1-8)'], { ...LIVE, ...BAD }),

  app('current', [helpOf('current')]),
  app('current channel-5', ['command not found: channel-5', helpOf('current')], BAD),
  ...[1, 2, 3, 4].flatMap((n) => [
    app(`current channel-${n}`, [helpOf(`current channel-${n}`)]),
    app(`current channel-${n} calib`, [helpOf(`current channel-${n} calib`)]),
    app(`current channel-${n} read`, [`Channel ${n}: avg=50.3 rms=71.4 mV (mode=rms, no calibration)`], INPUTS),
    app(`current channel-${n} read`, ['Read failed: -5'], SILENT),
    app(
      `current channel-${n} calib set-0 10.5`,
      [`Channel ${n}: avg=50.3 rms=71.4 (using rms), point 0 set (x0=71.44, y0=10.50)`],
      INPUTS,
    ),
    app(
      `current channel-${n} calib set-1 20`,
      [`Channel ${n}: avg=50.3 rms=71.4 (using rms), point 1 set (x1=71.44, y1=20.00)`],
      INPUTS,
    ),
    app(`current channel-${n} calib set-0 1`, ['Read failed: -5'], SILENT),
    app(
      `current channel-${n} calib show`,
      [`Channel ${n} calibration: x0=0.00 y0=0.00, x1=0.00 y1=0.00, mode=rms`],
      INPUTS,
    ),
    app(`current channel-${n} calib reset`, [`Channel ${n} calibration reset`], INPUTS),
    app(`current channel-${n} calib mode`, [`Channel ${n} mode: rms`], INPUTS),
    app(`current channel-${n} calib mode avg`, [`Channel ${n} mode set to: avg`], INPUTS),
    app(`current channel-${n} calib mode mean`, ['Unknown mode: mean (use avg or rms)'], { ...INPUTS, ...BAD }),
  ]),
  app(
    [...CALIBRATED, 'current channel-1 calib show'],
    ['Channel 1 calibration: x0=71.44 y0=10.00, x1=50.31 y1=20.00, mode=avg'],
    INPUTS,
  ),
  app(
    [...CALIBRATED, 'current channel-1 read'],
    ['Channel 1: avg=50.3 rms=71.4 mV (mode=avg, calibrated: 20.00)'],
    INPUTS,
  ),

  app('gnss state', ['running: no', 'fix: 0', 'satellites: 0', /^latitude/, /^longitude/, /^altitude/]),

  app('sensors_read', [
    'Barometer',
    'Altitude: 225.94',
    'Pressure: 98640.00',
    'Temperature: 21.46',
    'Meteo',
    'rainfall: 1.40 mm',
    'wind speed: 2.80 m/s',
    'wind direction: 112.50 deg',
    'Humidity',
    'Temperature: 22.22 C',
    'Humidity: 45.7 %',
  ]),
  app(
    'sensors_read',
    ['Barometer', 'command failed', 'Meteo', /^rainfall/, /^wind speed/, /^wind direction/, 'Humidity', /^T/, /^H/],
    { host: { sensors: { quantity: () => undefined } } },
  ),
  app('sensors_read x', ['unknown parameter: x', helpOf('sensors_read')], { code: -22 }),

  app('motion', [helpOf('motion')]),
  // The application prints the sample, separately from the output of the command.
  app('sample', [], { ...MOTION, asked: ['sample'] }),
  app(
    'motion samples',
    [
      'Motion Samples (2 total):',
      '--TOTAL- L=40, R=50, L->R=4, R->L=3',
      '',
      '[0] L=4, R=5, L->R=2, R->L=1, 2026-08-07 12:34:56',
      '[1] L=0, R=0, L->R=0, R->L=0, 2026-08-07 12:35:56',
    ],
    MOTION,
  ),
  app(
    'motion detection 3',
    [
      'Monitoring motion detection for 3 seconds...',
      ...HEAD,
      /^\[12:34:56\] L->R \| delta=\d+ms \| L=40 R=50 \| motion L->R=5 R->L=3$/,
      '',
      'Detection monitoring stopped.',
    ],
    { ...MOTION, takes: 3 },
  ),
  app('motion detection 0', ['timeout must be 1-1800 seconds'], { ...MOTION, ...BAD }),
  app('motion detection 1801', ['timeout must be 1-1800 seconds'], { ...MOTION, ...BAD }),
];
