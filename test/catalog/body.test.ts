/** The codecs have their published hashes, and each application sends the keys of its default build. */
import { describe, expect, it } from 'vitest';
import { catalog, profileOf, written } from './catalog.js';

/** Keys in which a profile differs from the catalog, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'control counter.channel':
    'the firmware writes the key of trigger.channel inside of a counter, and so does the profile',
};

it('the catalog has eleven applications, and there is a profile for each', () => {
  expect(catalog.map(([name]) => name)).toHaveLength(11);
  for (const [name] of catalog) expect(profileOf(name).name).toBe(name);
});

describe.each(catalog)('%s', (name, application) => {
  const profile = profileOf(name);

  it('has the published codecs and the version of its bodies', () => {
    const { decoder, encoder, messageVersion } = profile;
    expect({ name: decoder.document.name, hash: decoder.hash, keys: decoder.keys.length }).toEqual(application.decoder);
    expect(encoder && { name: encoder.document.name, hash: encoder.hash }).toEqual(application.encoder);
    expect(messageVersion).toBe(application.messageVersion);
  });

  it('sends the keys of its default build and no others, except for the listed exceptions', () => {
    const missing = application.sent.filter((path) => !written(profile).has(path));
    const surplus = [...written(profile)].filter((path) => !application.sent.includes(path));
    const unexplained = [...missing, ...surplus].filter((path) => EXCEPTIONS[`${name} ${path}`] === undefined);
    expect(unexplained).toEqual([]);
  });

  it('has the first report and the jitter of the application', () => {
    const { firstReport, jitter } = profile.timing;
    expect({ first: firstReport ?? null, jitter: 100 * jitter }).toEqual({
      first: application.firstReport === null ? null : 1000 * application.firstReport,
      jitter: application.jitter,
    });
  });

  it('has the types of devices on a serial line, and their quantities', () => {
    const [slot] = profile.modules[0]?.parameters.filter((spec) => spec.type === 'string' && spec.types) ?? [];
    const types = slot?.type === 'string' ? slot.types : undefined;
    const published = Object.entries(application.deviceTypes ?? {});
    expect(types ?? {}).toEqual(Object.fromEntries(published.map(([type, [number]]) => [type, number])));
    for (const [type, [, ...keys]] of published) {
      const sensor = profile.sensors.find(({ present }) => present?.kind === 'device' && present.is === type);
      expect([type, ...(sensor?.quantities.map((quantity) => quantity.name) ?? [])]).toEqual([
        type,
        ...keys.filter((key) => key !== 'timestamp'),
      ]);
    }
  });
});

it('every listed exception is still a difference between the keys of a profile and of the catalog', () => {
  const all = catalog.flatMap(([name, { sent }]) => {
    const paths = written(profileOf(name));
    const surplus = [...paths].filter((path) => !sent.includes(path));
    return [...sent.filter((path) => !paths.has(path)), ...surplus].map((path) => `${name} ${path}`);
  });
  expect(Object.keys(EXCEPTIONS).filter((path) => !all.includes(path))).toEqual([]);
});
