/** The short form of `npm run fuzz -- --downlinks 100000`. */
import { describe, expect, it } from 'vitest';
import { fuzzDevice, fuzzFleet, playMoves, SUBJECTS } from '../../scripts/fuzz/downlinks/index.js';

describe.each(SUBJECTS)('no message of a cloud makes $profile $version throw, hurry or stay silent', (subject) => {
  it('as a single device', async () => {
    const { faults, messages } = await fuzzDevice(subject, 'short', 700);
    expect([faults, messages >= 700]).toEqual([[], true]);
  });

  it('in a fleet whose answers are lost, changed and swapped', async () => {
    const { faults, messages } = await fuzzFleet(subject, 'short', 600, 10);
    expect([faults, messages >= 600]).toEqual([[], true]);
  });
});

it('a device that a hostile downlink cuts off by its own settings is not counted as silent', async () => {
  // DOWNLOAD_CONFIG with "app config mode none".
  const line = Buffer.from('app config mode none');
  const hex = Buffer.concat([Buffer.from([0x82, 0x00, 0x81, 0x60 + line.length]), line]).toString('hex');
  expect(await playMoves({ profile: 'clime' }, [{ kind: 'queue', hex }])).toBe(undefined);
});
