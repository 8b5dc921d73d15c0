import { describe, expect, test } from 'vitest';
import { buildShell } from '../../../src/device/commands/index.js';
import type { LteState } from '../../../src/device/shell/host.js';
import { modules } from '../config/specs.js';
import { type FakeHostOptions, fakeHost, NOON } from '../shell/fake-host.js';

const shell = buildShell(['cloud', 'config', 'lte'], modules());
const run = (line: string, options?: FakeHostOptions) => shell.run(fakeHost(options), line);

describe('cloud', () => {
  test('state tells whether the session is set up and when the cloud was heard', () => {
    expect(run('cloud state')).toEqual({
      code: 0,
      lines: ['initialized: yes', 'last seen ts: 1786106086', 'command succeeded'],
    });
    expect(run('cloud state', { cloud: { initialized: false, lastSeen: undefined } }).lines).toEqual([
      'initialized: no',
      'last seen ts: 0',
      'command succeeded',
    ]);
  });

  test('metrics prints every counter and time in order', () => {
    const metrics = {
      uplinkCount: 4,
      uplinkFragments: 9,
      uplinkBytes: 2500,
      uplinkLast: NOON - 42,
      downlinkCount: 1,
      downlinkLast: NOON - 3723,
      pollLast: 12,
      uplinkErrorLast: NOON + 5,
    };
    expect(run('cloud metrics', { metrics })).toEqual({
      code: 0,
      lines: [
        'uplink count: 4',
        'uplink fragments: 9',
        'uplink bytes: 2500',
        'uplink last ts: 1786106054 (0:42 ago)',
        'uplink errors: 0',
        'uplink error last ts: 1786106101 (0:00 ago)',
        'downlink count: 1',
        'downlink fragments: 0',
        'downlink bytes: 0',
        'downlink last ts: 1786102373 (1:02:03 ago)',
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
        'command succeeded',
      ],
    });
  });

  test('poll queues a poll', () => {
    const host = fakeHost();
    expect(shell.run(host, 'cloud poll')).toEqual({ code: 0, lines: ['command succeeded'] });
    expect(host.asked).toEqual(['poll']);
  });

  test('firmware download asks for an image, and passes on why not', () => {
    const host = fakeHost();
    expect(shell.run(host, 'cloud firmware download 0190').lines).toEqual(['command succeeded']);
    expect(host.asked).toEqual(['firmware 0190']);
    expect(run('cloud firmware download unknown')).toEqual({
      code: -2,
      lines: ['ctr_cloud_firmware_update failed: -2'],
    });
    expect(run(`cloud firmware download ${'x'.repeat(201)}`).code).toBe(-22);
  });

  test('spool counts, fakes and cleans', () => {
    const host = fakeHost({ spooled: 3 });
    expect(shell.run(host, 'cloud spool count')).toEqual({ code: 0, lines: ['spool messages: 3'] });
    expect(shell.run(host, 'cloud spool fake 5')).toEqual({ code: 0, lines: ['created 5 fake message(s)'] });
    expect(shell.run(host, 'cloud spool clean')).toEqual({ code: 0, lines: ['command succeeded'] });
    expect(host.asked).toEqual(['fake 5', 'clean spool']);
  });

  test.each(['0', '101', 'many'])('spool fake %s is out of range', (count) => {
    const host = fakeHost({ spooled: 3 });
    expect(shell.run(host, `cloud spool fake ${count}`)).toEqual({
      code: -22,
      lines: ['invalid count (expected 1-100)'],
    });
    expect(host.asked).toEqual([]);
  });

  test('has neither spool nor config in a device type without that module', () => {
    const plain = buildShell(['cloud'], []);
    expect(plain.run(fakeHost(), 'cloud spool count').lines[0]).toBe('command not found: spool');
    expect(plain.run(fakeHost(), 'cloud config show').lines[0]).toBe('command not found: config');
  });
});

describe('lte', () => {
  test.each([
    ['imei', '351358811124772'],
    ['imsi', '901288910018982'],
    ['iccid', '8988228066610345123'],
    ['fw-version', 'mfw_nrf91x1_2.0.2'],
  ])('%s prints what the modem said', (word, value) => {
    expect(run(`lte ${word}`)).toEqual({ code: 0, lines: [`${word}: ${value}`, 'command succeeded'] });
  });

  test('fails when the modem has not started yet', () => {
    expect(run('lte imei', { lte: { imei: undefined } })).toEqual({ code: -61, lines: ['command failed'] });
  });

  const state = (lte: Partial<LteState>) => run('lte state', { lte }).lines;

  test('state of a sleeping modem', () => {
    expect(state({})).toEqual([
      'attached: yes',
      'cereg: registered-home',
      'mode: lte-m',
      'fsm-state: sleep',
      'command succeeded',
    ]);
  });

  test('state with a connection evaluation', () => {
    const evaluation = {
      eest: 7,
      ecl: 0,
      rsrp: -97,
      rsrq: -9,
      snr: 5,
      plmn: 23003,
      cid: 939040,
      band: 20,
      earfcn: 6447,
    };
    expect(state({ evaluation }).slice(3, 12)).toEqual([
      'eest: 7',
      'ecl: 0',
      'rsrp: -97',
      'rsrq: -9',
      'snr: 5',
      'plmn: 23003',
      'cid: 939040',
      'band: 20',
      'earfcn: 6447',
    ]);
  });

  test('state while attaching shows the attempt and what is left of it', () => {
    const wait = { timeout: 300_000, remaining: 61_900 };
    expect(state({ attached: false, registration: undefined, fsm: 'attach', attachAttempt: 2, wait })).toEqual([
      'attached: no',
      'cereg: not available',
      'mode: not available',
      'fsm-state: attach',
      'attach-attempt: 2',
      'attach-timeout: 5:00',
      'attach-remaining: 1:01',
      'command succeeded',
    ]);
  });

  test('state in a pause shows its end', () => {
    const wait = { timeout: 3_600_000, remaining: 5_000 };
    expect(state({ fsm: 'retry_delay', attachAttempt: 3, wait }).slice(3)).toEqual([
      'fsm-state: retry_delay',
      'attach-attempt: 3',
      'retry-delay-timeout: 60:00',
      'retry-delay-remaining: 0:05',
      'command succeeded',
    ]);
  });

  test('metrics prints every counter in order', () => {
    expect(run('lte metrics').lines).toEqual([
      'attach count: 1',
      'attach fail count: 2',
      'attach duration ms: 15000',
      'attach last ts: 1786106096',
      'attach last duration ms: 5000',
      'uplink messages: 3',
      'uplink bytes: 400',
      'uplink errors: 5',
      'uplink last ts: 1786106097',
      'downlink messages: 6',
      'downlink bytes: 700',
      'downlink errors: 8',
      'downlink last ts: 0',
      'cscon 1 duration ms: 9000',
      'cscon 1 last duration ms: 1000',
      'command succeeded',
    ]);
  });

  test('reconnect attaches again, but not in test mode, which begins with a boot', () => {
    const host = fakeHost();
    shell.run(host, 'lte config test true');
    expect(shell.run(host, 'lte reconnect')).toEqual({ code: 0, lines: ['command succeeded'] });
    shell.run(host, 'config save');
    host.config.boot();
    expect(shell.run(host, 'lte reconnect')).toEqual({ code: -8, lines: ['not supported in test mode'] });
    expect(host.asked).toEqual(['reconnect']);
  });

  test.each(['uart enable', 'reset', 'wakeup', 'cmd AT', 'prepare', 'bypass'])('test %s needs test mode', (words) => {
    expect(run(`lte test ${words}`)).toEqual({ code: -8, lines: ['test mode is not activated'] });
  });

  test('has its parameters', () => {
    expect(run('lte config mode gsm')).toEqual({ code: 0, lines: ['invalid mode'] });
    expect(run('lte config bands 7')).toEqual({ code: 0, lines: ['band 7 is not supported'] });
    expect(run('lte config network').lines).toEqual(['lte config network ""']);
  });
});
