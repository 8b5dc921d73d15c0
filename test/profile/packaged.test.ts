import { describe, expect, it } from 'vitest';
import { packagedProfiles } from '../../src/profile/library.js';
import type { Profile } from '../../src/profile/profile.js';
import { findQuantity, quantityNames } from '../../src/profile/quantities.js';

const profiles = packagedProfiles();

function profile(name: string): Profile {
  const found = profiles.get(name);
  if (found === undefined) throw new Error(`no profile ${name}`);
  return found;
}

describe('the packaged profiles', () => {
  it('are clime and control', () => {
    expect([...profiles.keys()]).toEqual(['clime', 'control']);
  });

  // Hashes and numbers of keys as published (wire protocol, 12.1; applications).
  it.each([
    ['clime', { decoder: '92fd351b4a8c1979', keys: 109, bytes: 3852, encoder: undefined, version: 2 }],
    ['control', { decoder: 'ea8c7233208bad80', keys: 69, bytes: 1990, encoder: 'c76a16dd617f713b', version: 1 }],
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
  ])('list their configuration modules in the order of the shell: %s', (name, prefixes, parameters) => {
    const { modules } = profile(name);
    expect(modules.map(({ prefix }) => prefix)).toEqual(prefixes);
    expect(modules[0]?.parameters).toHaveLength(parameters);
  });

  it('have the intervals that the application obeys', () => {
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

  it('keep, spool and give up as each application does', () => {
    expect(profile('clime').timing).toMatchObject({
      firstReport: 10_000,
      jitter: 0.2,
      onSendFailure: 'keep',
      sendTimeout: { module: 'app', name: 'send-timeout' },
      spoolSize: { module: 'cloud', name: 'spool-size' },
    });
    expect(profile('control').timing).toMatchObject({ firstReport: 10_000, jitter: 0.2, onSendFailure: 'drop' });
    expect(profile('control').timing).not.toHaveProperty('sendTimeout');
    expect(profile('control').timing).not.toHaveProperty('spoolSize');
  });

  it('offer the commands of their application, in alphabetical order', () => {
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

  it('leave the number out where there is only one', () => {
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
    expect(quantityNames(profile('control'))).toEqual(
      expect.arrayContaining(['backup.line_voltage', 'trigger.<1-8>.state', 'w1_thermometer.temperature']),
    );
  });
});
