import { describe, expect, it } from 'vitest';
import { packagedProfiles } from '../../src/profile/library.js';
import type { Profile } from '../../src/profile/profile.js';
import { findQuantity, listQuantityNames } from '../../src/profile/quantities.js';

const profiles = packagedProfiles();

function profile(name: string): Profile {
  const found = profiles.get(name);
  if (found === undefined) throw new Error(`no profile ${name}`);
  return found;
}

describe('the packaged profiles', () => {
  it('are those of the applications of the catalog, besides the builds in test/catalog/builds.test.ts', () => {
    expect([...profiles.keys()].filter((name) => !name.includes('-'))).toEqual([
      ...['clime', 'control', 'current', 'demo', 'meteo', 'motion', 'push', 'range', 'scale', 'serial', 'wmbus'],
    ]);
  });

  // Hashes and numbers of keys as published (wire W-62; catalog.json).
  it.each([
    ['clime', { decoder: '92fd351b4a8c1979', keys: 109, bytes: 3852, encoder: undefined, version: 2 }],
    ['control', { decoder: 'ea8c7233208bad80', keys: 69, bytes: 1990, encoder: 'c76a16dd617f713b', version: 1 }],
    ['current', { decoder: '7b034ffc6623f887', keys: 52, bytes: 1544, encoder: undefined, version: 1 }],
    ['demo', { decoder: '6940c0933067d636', keys: 34, bytes: 559, encoder: 'e074aea1e4183ce4', version: 1 }],
    ['meteo', { decoder: 'abc1159609336525', keys: 132, bytes: 4435, encoder: undefined, version: 1 }],
    ['motion', { decoder: '501c25ef349d91f3', keys: 34, bytes: 597, encoder: undefined, version: 2 }],
    ['push', { decoder: '7db07ef6fc417121', keys: 55, bytes: 1220, encoder: undefined, version: 1 }],
    ['range', { decoder: 'd94a4103737a73d2', keys: 51, bytes: 1341, encoder: undefined, version: 2 }],
    ['scale', { decoder: '0cf3c030b992b548', keys: 49, bytes: 1273, encoder: undefined, version: 1 }],
    ['serial', { decoder: 'ac6b56dba4f9a6a9', keys: 101, bytes: 1982, encoder: undefined, version: 2 }],
    ['wmbus', { decoder: 'ceba4fff624f52fa', keys: 49, bytes: 759, encoder: undefined, version: 3 }],
  ])('have the published codecs: %s', (name, expected) => {
    const { decoder, encoder, messageVersion } = profile(name);
    expect({
      decoder: decoder.hash,
      keys: decoder.keys.length,
      bytes: decoder.bytes.length,
      encoder: encoder?.hash,
      version: messageVersion,
    }).toEqual(expected);
  });

  it.each([
    ['clime', ['app-clime', 'ble', 'tag', 'cloud', 'lrw', 'lte'], 17],
    ['control', ['app-control', 'ble', 'tag', 'lrw', 'lte'], 31],
    ['current', ['app-current', 'ble', 'tag', 'lrw', 'lte'], 36],
    ['demo', ['app-demo', 'ble', 'lte'], 5],
    ['meteo', ['app-meteo', 'ble', 'tag', 'lrw', 'lte'], 22],
    ['motion', ['app-motion', 'ble', 'lte'], 10],
    ['push', ['app-push', 'ble', 'tag', 'lrw', 'lte'], 10],
    ['range', ['app-range', 'ble', 'tag', 'lte'], 6],
    ['scale', ['app-scale', 'ble', 'tag', 'lrw', 'lte'], 11],
    ['serial', ['app-serial', 'ble', 'tag', 'lrw', 'lte'], 18],
    ['wmbus', ['app-wmbus', 'ble', 'lte'], 11],
  ])('list their configuration modules in the order of the shell: %s', (name, prefixes, parameters) => {
    const { modules } = profile(name);
    expect(modules.map(({ prefix }) => prefix)).toEqual(prefixes);
    expect(modules[0]?.parameters).toHaveLength(parameters);
  });

  it('have the tasks of their application with their intervals, tried with clime and control', () => {
    const intervals = (name: string) =>
      profile(name).tasks.map(({ kind, every, first }) => [
        kind,
        typeof every === 'number' ? every : every.name,
        first,
      ]);
    expect(intervals('clime')).toEqual([
      ['sample', 'interval-sample', 0],
      ['sample', 'interval-sample', undefined],
      ['aggregate', 'interval-aggreg', undefined],
      ['sample', 43_200_000, 60_000],
    ]);
    expect(intervals('control')).toContainEqual(['aggregate', 'counter-interval-aggreg', undefined]);
  });

  it('keep and spool unsent data (clime), or drop them (control)', () => {
    expect(profile('clime').timing).toMatchObject({
      firstReport: 10_000,
      jitter: 0.2,
      onSendFailure: 'keep',
      sendTimeout: { module: 'app', name: 'send-timeout' },
      spoolSize: { module: 'cloud', name: 'spool-size' },
    });
    expect(profile('control').timing).toMatchObject({ firstReport: 10_000, jitter: 0.2, onSendFailure: 'drop' });
    expect(profile('control').timing.sendTimeout).toBeUndefined();
    expect(profile('control').timing.spoolSize).toBeUndefined();
  });

  // Behaviour B-18, B-19: report interval in seconds, jitter, and whether an unsent report is kept.
  it.each([
    ['current', 900, 0, 'drop'],
    ['demo', 1800, 0.2, 'drop'],
    ['meteo', 1800, 0.2, 'keep'],
    ['motion', 1800, 0.2, 'keep'],
    ['push', 1800, 0, 'drop'],
    ['range', 1800, 0.2, 'drop'],
    ['scale', 900, 0.2, 'drop'],
  ])('report at the interval of their application: %s', (name, interval, jitter, onSendFailure) => {
    const { timing, modules } = profile(name);
    expect(timing).toMatchObject({ firstReport: 10_000, jitter, onSendFailure });
    expect(timing.sendTimeout).toBeUndefined();
    const report = modules[0]?.parameters.find((spec) => spec.name === timing.reportEvery?.name);
    expect(report?.default).toBe(interval);
  });

  it('report as published: serial after 30 s and then by the clock, wM-Bus after its scans', () => {
    expect(profile('serial').timing).toMatchObject({ firstReport: 30_000, jitter: 0, onSendFailure: 'keep' });
    expect(profile('serial').timing.pollEvery).toBeUndefined();
    expect(profile('wmbus').timing).toMatchObject({ jitter: 0, onSendFailure: 'drop', hardwareWatchdog: 1_200_000 });
    expect(profile('wmbus').timing.firstReport).toBeUndefined();
    expect(profile('wmbus').timing.reportEvery).toBeUndefined();
  });

  it('have a downlink watchdog, except demo, motion, serial and hio devices', () => {
    const without = [...profiles.values()].filter(({ timing }) => timing.downlinkWatchdog === undefined);
    expect(without.map(({ name }) => name)).toEqual(['demo', 'hio-node', 'motion', 'serial', 'serial-rs232']);
  });

  it('have no unused sensor', () => {
    for (const { name, sensors, tasks, eventLists } of profiles.values()) {
      const used = [...tasks.flatMap((task) => task.sensors), ...eventLists.map(({ sensor }) => sensor)];
      expect([name, sensors.filter((_, index) => !used.includes(index)).map((spec) => spec.name)]).toEqual([name, []]);
    }
  });

  it('offer commands of their application, in alphabetical order, tried with clime and control', () => {
    const { commands } = profile('clime');
    expect(commands).toEqual([...commands].sort());
    expect(commands).toEqual(expect.arrayContaining(['backup', 'hygro', 'config', 'kernel']));
    expect(profile('control').commands).toEqual(expect.arrayContaining(['channel', 'poll', 'lte']));
    expect(profile('control').commands).not.toContain('aggreg');
  });
});

describe('names of quantities', () => {
  it('address a quantity with the number of the sensor, from 1', () => {
    const control = profile('control');
    const address = findQuantity(control, 'trigger.2.state');
    expect(address).toMatchObject({ number: 1, quantity: 0 });
    expect(control.sensors[address?.sensor ?? -1]?.name).toBe('trigger');
  });

  it('need no number if the device type has only one such sensor', () => {
    expect(findQuantity(profile('clime'), 'backup.line_voltage')).toMatchObject({ number: 0, quantity: 0 });
    expect(findQuantity(profile('clime'), 'backup.1.line_voltage')).toMatchObject({ number: 0, quantity: 0 });
  });

  it.each(['trigger.state', 'trigger.0.state', 'trigger.9.state', 'trigger.1.5.state', 'x.1.state', 'trigger', ''])(
    'find nothing for "%s"',
    (name) => {
      expect(findQuantity(profile('control'), name)).toBeUndefined();
    },
  );

  it('are listed with the range of numbers', () => {
    expect(listQuantityNames(profile('control'))).toEqual(
      expect.arrayContaining(['backup.line_voltage', 'trigger.<1-8>.state', 'w1_thermometer.temperature']),
    );
  });
});
