/** Rows of the shell: cloud, modems, clock, kernel. */
import { NOON } from '../shell-device.js';
import { helpOf, type Row, section } from './table.js';

const cloud = section('S-21');
const lte = section('S-23', {
  metrics: {
    ...{ uplinkFragments: 3, uplinkBytes: 400, uplinkErrors: 5, uplinkLast: NOON + 1 },
    ...{ downlinkFragments: 6, downlinkBytes: 700, downlinkErrors: 8 },
  },
});
const lrw = section('S-27');
const rtc = section('S-28');
const kernel = section('S-29');

const OK = 'command succeeded';
const FAILED = { code: -5 };
const spool = { host: { spooled: 3 } };
const IN_TEST = ['lte config test true', 'lrw config test true', 'config save'];
const REFUSED = { code: -8 };
const REGISTRATIONS = [
  'not-registered',
  'registered-home',
  'searching',
  'registration-denied',
  'unknown',
  'registered-roaming',
  'sim-failure',
] as const;
const STATES = [
  'disabled',
  'error',
  'boot',
  'prepare',
  'reset_loop',
  'open_socket',
  'ready',
  'sleep',
  'wakeup',
  'send',
  'receive',
  'coneval',
  'gnss',
] as const;
const EVALUATION = { eest: 7, ecl: 0, rsrp: -97, rsrq: -9, snr: 5, plmn: 23003, cid: 939040, band: 20, earfcn: 6447 };

export const SUBSYSTEMS: readonly Row[] = [
  cloud('cloud', [helpOf('cloud')]),
  cloud('cloud state', ['initialized: yes', `last seen ts: ${NOON - 10}`, OK]),
  cloud('cloud state', ['initialized: no', 'last seen ts: 0', OK], {
    host: { cloud: { initialized: false, lastSeen: undefined } },
  }),
  cloud(
    'cloud metrics',
    [
      'uplink count: 4',
      'uplink fragments: 9',
      'uplink bytes: 2500',
      `uplink last ts: ${NOON - 42} (0:42 ago)`,
      'uplink errors: 1',
      // The clock was set back after that error.
      `uplink error last ts: ${NOON + 5} (0:00 ago)`,
      'downlink count: 0',
      'downlink fragments: 0',
      'downlink bytes: 0',
      `downlink last ts: ${NOON - 3723} (1:02:03 ago)`,
      'downlink errors: 0',
      'downlink error last ts: -1 (never)',
      'poll count: 0',
      'poll last ts: 12 (not synced)',
      'uplink data count: 0',
      'uplink data last ts: -1 (never)',
      'downlink data count: 0',
      'downlink data last ts: -1 (never)',
      'recv shell count: 0',
      'recv shell last ts: -1 (never)',
      OK,
    ],
    {
      host: {
        metrics: {
          ...{ uplinkCount: 4, uplinkFragments: 9, uplinkBytes: 2500, uplinkLast: NOON - 42 },
          ...{ uplinkErrors: 1, uplinkErrorLast: NOON + 5, downlinkLast: NOON - 3723, pollLast: 12 },
        },
      },
    },
  ),
  cloud('cloud poll', [OK], { asked: ['poll'] }),
  cloud('cloud firmware download 0190', [OK], { asked: ['firmware 0190'] }),
  cloud(`cloud firmware download ${'x'.repeat(200)}`, [OK]),
  cloud(`cloud firmware download ${'x'.repeat(201)}`, ['ctr_cloud_firmware_update failed: -22'], { code: -22 }),
  cloud('cloud firmware download unknown', ['ctr_cloud_firmware_update failed: -2'], { code: -2 }),
  cloud('cloud firmware', [helpOf('cloud firmware')]),
  cloud('cloud spool', [helpOf('cloud spool')]),
  cloud('cloud spool count', ['spool messages: 3'], spool),
  cloud('cloud spool fake 100', ['created 100 fake message(s)'], { ...spool, asked: ['fake 100'] }),
  cloud('cloud spool fake 0', ['invalid count (expected 1-100)'], { ...spool, code: -22 }),
  cloud('cloud spool fake 101', ['invalid count (expected 1-100)'], { ...spool, code: -22 }),
  cloud('cloud spool fake many', ['invalid count (expected 1-100)'], { ...spool, code: -22, asked: [] }),
  cloud('cloud spool clean', [OK], { ...spool, asked: ['clean spool'] }),
  cloud('cloud config spool-size', ['cloud config spool-size 10']),

  lte('lte', [helpOf('lte')]),
  lte('lte imei', ['imei: 351358811124772', OK]),
  lte('lte imsi', ['imsi: 901288910018982', OK]),
  lte('lte iccid', ['iccid: 8988228066610345123', OK]),
  lte('lte fw-version', ['fw-version: mfw_nrf91x1_2.0.2', OK]),
  lte('lte imei', ['command failed'], { code: -61, host: { lte: { imei: undefined } } }),
  lte('lte fw-version', ['command failed'], { code: -61, host: { lte: { modemFirmware: undefined } } }),
  lte('lte state', ['attached: yes', 'cereg: registered-home', 'mode: lte-m', 'fsm-state: sleep', OK]),
  ...REGISTRATIONS.map((status) =>
    lte('lte state', ['attached: yes', `cereg: ${status}`, 'mode: nb-iot', 'fsm-state: sleep', OK], {
      host: { lte: { registration: { status, mode: 'nb-iot' } } },
    }),
  ),
  ...STATES.map((fsm) =>
    lte('lte state', ['attached: no', 'cereg: not available', 'mode: not available', `fsm-state: ${fsm}`, OK], {
      host: { lte: { attached: false, registration: undefined, fsm } },
    }),
  ),
  lte(
    'lte state',
    [
      'attached: yes',
      'cereg: registered-home',
      'mode: lte-m',
      'eest: 7',
      'ecl: 0',
      'rsrp: -97',
      'rsrq: -9',
      'snr: 5',
      'plmn: 23003',
      'cid: 939040',
      'band: 20',
      'earfcn: 6447',
      'fsm-state: sleep',
      OK,
    ],
    { host: { lte: { evaluation: EVALUATION } } },
  ),
  lte(
    'lte state',
    [
      'attached: no',
      'cereg: searching',
      'mode: unknown',
      'fsm-state: attach',
      'attach-attempt: 2',
      'attach-timeout: 50:00',
      'attach-remaining: 1:01',
      OK,
    ],
    {
      host: {
        lte: {
          attached: false,
          registration: { status: 'searching', mode: 'unknown' },
          fsm: 'attach',
          attachAttempt: 2,
          wait: { timeout: 3_000_000, remaining: 61_900 },
        },
      },
    },
  ),
  lte(
    'lte state',
    [
      'attached: no',
      'cereg: not available',
      'mode: not available',
      'fsm-state: retry_delay',
      'attach-attempt: 3',
      'retry-delay-timeout: 60:00',
      'retry-delay-remaining: 0:05',
      OK,
    ],
    {
      host: {
        lte: {
          attached: false,
          registration: undefined,
          fsm: 'retry_delay',
          attachAttempt: 3,
          wait: { timeout: 3_600_000, remaining: 5000 },
        },
      },
    },
  ),
  lte('lte metrics', [
    'attach count: 1',
    'attach fail count: 2',
    'attach duration ms: 15000',
    `attach last ts: ${NOON}`,
    'attach last duration ms: 5000',
    'uplink messages: 3',
    'uplink bytes: 400',
    'uplink errors: 5',
    `uplink last ts: ${NOON + 1}`,
    'downlink messages: 6',
    'downlink bytes: 700',
    'downlink errors: 8',
    'downlink last ts: 0',
    'cscon 1 duration ms: 9000',
    'cscon 1 last duration ms: 1000',
    OK,
  ]),
  lte('lte reconnect', [OK], { asked: ['reconnect'] }),
  lte([...IN_TEST, 'lte reconnect'], ['not supported in test mode'], { ...REFUSED, asked: [] }),
  lte(['lte config test true', 'lte reconnect'], [OK]),
  lte('lte test', [helpOf('lte test')]),
  ...['uart enable', 'uart disable', 'reset', 'wakeup', 'cmd AT', 'prepare', 'bypass'].flatMap((words) => [
    lte(`lte test ${words}`, ['test mode is not activated'], REFUSED),
    lte([...IN_TEST, `lte test ${words}`], [OK]),
  ]),
  lte([...IN_TEST, 'lte test uart on'], [helpOf('lte test uart')], { code: -22 }),
  lte('lte test cmd', ['cmd: wrong parameter count', helpOf('lte test cmd')], { code: -22 }),
  lte('lte config modemtrace', ['lte config modemtrace false']),

  lrw('lrw', [helpOf('lrw')]),
  lrw('lrw start', ['correlation id: 0']),
  lrw(['lrw start', 'lrw join'], ['correlation id: 1']),
  lrw('lrw test', [helpOf('lrw test')]),
  ...['uart enable', 'uart disable', 'reset', 'cmd AT'].flatMap((words) => [
    lrw(`lrw test ${words}`, ['test mode is not activated'], REFUSED),
    lrw([...IN_TEST, `lrw test ${words}`], [OK]),
  ]),
  lrw('lrw config class', ['lrw config class "A"']),

  rtc('rtc', [helpOf('rtc')]),
  rtc('rtc get', ['2026/08/07 12:34:56 Fri']),
  rtc('rtc get', ['1970/01/01 00:00:59 Thu'], { host: { unixTime: 59 } }),
  rtc('rtc set 2026/08/07 12:34:56', [], { asked: [`set time ${NOON}`] }),
  ...['7.8.2026 12:34:56', '2026-08-07 12:34:56', '2026/8/7 12:34:56', '2026/08/07 12:34'].map((text) =>
    rtc(`rtc set ${text}`, [helpOf('rtc set')], { code: -22, asked: [] }),
  ),
  // The format is valid, but the time does not exist.
  ...['2026/02/29 00:00:00', '2026/13/01 00:00:00', '2026/08/07 24:00:00', '1969/12/31 00:00:00'].map((text) =>
    rtc(`rtc set ${text}`, [], { code: -22, asked: [] }),
  ),

  kernel('kernel', [helpOf('kernel')], { code: 1 }),
  kernel('kernel version', [/^Zephyr version \d+\.\d+\.\d+$/]),
  kernel('kernel uptime', ['Uptime: 90061007 ms']),
  ...['-p', '--pretty'].map((option) =>
    kernel(`kernel uptime ${option}`, ['uptime: 1 days, 1 hours, 1 minutes, 1 seconds, 7 milliseconds']),
  ),
  kernel('kernel uptime -x', ['Unsupported option: -x'], FAILED),
  kernel('kernel cycles', ['cycles: 32768 hw cycles'], { host: { uptime: 1000 } }),
  // The counter has 32 bits, so it wraps after 2^32 / 32768 Hz = 131072 s.
  kernel('kernel cycles', ['cycles: 0 hw cycles'], { host: { uptime: 131_072_000 } }),
  kernel('kernel reboot', [], { reboots: true }),
  kernel('kernel reboot cold', [], { reboots: true }),
  kernel('kernel reboot warm', [], { reboots: true }),
  kernel('kernel thread', [helpOf('kernel thread')], { code: 1 }),
  kernel('kernel thread list', [
    /^Scheduler: \d+ since last call$/,
    'Threads:',
    ...Array.from({ length: 8 }, (_, n) => [
      n === 0 ? /^\*0x\w+ shell_rtt $/ : /^ 0x\w+ \w+ *$/,
      /^\toptions: 0x0, priority: -?\d+ timeout: \d+$/,
      /^\tstate: \w*, entry: 0x\w+$/,
      /^\tstack size \d+, unused \d+, usage \d+ \/ \d+ \([\d ]\d %\)$/,
      '',
    ]).flat(),
  ]),
  kernel(
    'kernel thread stacks',
    Array.from(
      { length: 8 },
      () => /^0x\w+ \w+ +\(real size [\d ]+\):\tunused [\d ]+\tusage [\d ]+ \/ [\d ]+ \([\d ]\d %\)$/,
    ),
  ),
  kernel('kernel heap', [/^free: {11}\d+$/, /^allocated: {6}\d+$/, /^max\. allocated: \d+$/]),
];
