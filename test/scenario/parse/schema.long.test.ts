/** The JSON Schema of scenarios accepts every default of every device type. */
import { expect, it } from 'vitest';
import type { Form } from '../../../src/input/checks.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { chooseFirmware } from '../../../src/profile/versions.js';
import { ajv, published } from './published-schema.js';

it('accepts the default of every parameter of every device type and version, as a value and as a text', () => {
  const definitions = published.definitions as Readonly<Record<string, Form>>;
  const wrong: string[] = [];
  let tried = 0;
  for (const [name, profile] of packagedProfiles()) {
    const accepts = ajv.compile({ definitions, $ref: `#/definitions/config-of-${name}` });
    for (const version of profile.firmware.names) {
      for (const { name: module, parameters } of chooseFirmware(profile, version).modules) {
        for (const { name: parameter, default: usual } of parameters) {
          for (const value of [usual, String(usual)]) {
            tried++;
            if (!accepts({ [`${module} ${parameter}`.replace(/^app /, '')]: value }))
              wrong.push(`${name} ${module} ${parameter}: ${value}`);
          }
        }
      }
    }
  }
  expect(tried).toBeGreaterThan(1000);
  expect(wrong).toEqual([]);
});
