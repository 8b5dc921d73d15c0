/** Mistakes in the parts of profiles about devices in slots, received frames and lists of numbers. */
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/input/problems.js';
import { InputError } from '../../src/input/problems.js';
import type { ReadFiles } from '../../src/profile/extend.js';
import { packagedFiles, readPackagedSource } from '../../src/profile/library.js';
import { readProfile } from '../../src/profile/read.js';

/** Files that the profiles extend, read once. */
const extended: ReadFiles = new Map();

/** The problems of a packaged profile in which something was changed. */
function problemsOf(name: string, from: string, to: string): readonly Problem[] {
  const source = readPackagedSource(name)?.source ?? '';
  if (!source.includes(from)) throw new Error(`${name} has no ${from}`);
  try {
    readProfile(
      source.replace(from, () => to),
      `profiles/${name}.yaml`,
      packagedFiles,
      extended,
    );
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
  return [];
}

describe.each<readonly [what: string, name: string, from: string, to: string, message: string]>([
  [
    'a slot without types',
    'serial',
    '          check: device-slot\n',
    '',
    'the check "device-slot" needs "types", the valid types of a slot, and "types" needs the check',
  ],
  [
    'a sensor for a type that no slot may name',
    'serial',
    'is: em1xx }',
    'is: em9xx }',
    '"em9xx" is not a device type of "device-0": none, sensecap_s1000,',
  ],
  [
    'more sensors than slots',
    'serial',
    '  em1xx:\n    count: 8',
    '  em1xx:\n    count: 9',
    'parameter "device-8" with the check "device-slot" is missing',
  ],
  [
    'a quantity of a sample that the decoder has no key for',
    'serial',
    '      card_uid: {',
    '      card_number: {',
    '"devices.data.card_number" is not a key of the decoder, but the sensor "promag_mf7s" has the quantity "card_number"',
  ],
  [
    'samples of a sensor without a log',
    'serial',
    '    - $each: *devices',
    '    - $each: ble_tag',
    '"ble_tag" is not a sensor with a log',
  ],
  [
    'a quantity of a sensor that is not in the list of sensors',
    'serial',
    'addr: label line_address',
    'addr: last em1xx.voltage',
    'is not about the sensor of this list, "microsens_180hs" or "or_we_504"',
  ],
  [
    'a list of sensors with an unknown one',
    'serial',
    '    - $each: *devices',
    '    - $each: [em1xx, em2xx]',
    '"em2xx" is not a sensor: battery,',
  ],
  [
    'a value of $sparse that is not true or false',
    'serial',
    '$sparse: true',
    '$sparse: maybe',
    '"maybe" is not true or false',
  ],
  [
    'a receiver whose `keep` names a module without a list of meters',
    'wmbus',
    '  keep: app',
    '  keep: lte',
    '"keep" names the module with the list of meters: app, not "lte"',
  ],
  [
    'a scan by a parameter of the wrong type',
    'wmbus',
    '    every: scan-interval',
    '    every: scan-mode',
    '"scan-mode" is not a parameter of type int: it is of type enum',
  ],
  [
    'meters whose longest time between frames is shorter than the shortest',
    'wmbus',
    'every: [15s, 120s]',
    'every: [120s, 15s]',
    'a list of the shortest and the longest time from one frame of a meter to the next',
  ],
  ['an unknown value of a scan', 'wmbus', 'scan cycle', 'scan circle', '"circle" is not about a scan: time,'],
  [
    'frames under a condition that is not a bool parameter',
    'wmbus',
    'frames if cloud-decode',
    'frames if scan-mode',
    '"scan-mode" is not a parameter of type bool: it is of type enum',
  ],
  [
    'frames in a field that the decoder does not read as frames',
    'wmbus',
    '    part: scan part',
    '    part: frames if cloud-decode',
    '"wmbus.part" must be a $wmbus in the decoder, or have "rssi" and "data"',
  ],
  [
    'a list with the name of a parameter',
    'wmbus',
    'name: address,',
    'name: scan-mode,',
    '"scan-mode" of "app" is both a list and a parameter',
  ],
  [
    'a set-up of an unknown list',
    'wmbus',
    'app config address count 2',
    'app config addresses count 2',
    'is not a line that sets a configuration parameter',
  ],
])('%s', (_what, name, from, to, message) => {
  it('is reported with file, line and column', () => {
    const problems = problemsOf(name, from, to);
    expect(problems.map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
    for (const { file, line, column } of problems) {
      expect([file, line > 1, column > 0]).toEqual([`profiles/${name}.yaml`, true, true]);
    }
  });
});

it('a body without a receiver must not refer to scans', () => {
  const source = readPackagedSource('wmbus')?.source ?? '';
  const without = source.replace(/^receiver:\n( {2}.*\n)+/m, '');
  expect(() => readProfile(without, 'profiles/wmbus.yaml', packagedFiles)).toThrow(
    '"scan time" is not possible without a "receiver"',
  );
});
