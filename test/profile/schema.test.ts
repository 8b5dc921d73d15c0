/** The JSON Schema of profiles: it rejects the same mistakes as the checks. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { draftProfile } from '../../src/profile/draft.js';
import type { ReadFiles } from '../../src/profile/extend.js';
import { packagedFiles, readPackagedSource } from '../../src/profile/library.js';
import { FAMILIES } from '../../src/profile/profile.js';
import { readProfile } from '../../src/profile/read.js';
import { resolveText } from '../../src/profile/resolve.js';
import { makeProfileSchema } from '../../src/profile/schema.js';
import { schemaNamedIn } from '../support/schema-line.js';

/** Files that the profiles extend, read once. */
const extended: ReadFiles = new Map();

const root = new URL('../../', import.meta.url);
const schema = new URL('schemas/profile.schema.json', root);
// Optimising the validation code would take longer than it saves here.
const validate = new Ajv({ strict: false, allErrors: false, code: { optimize: false } }).compile(makeProfileSchema());
const names = readdirSync(new URL('profiles/', root)).flatMap((file) => /^(.*)\.yaml$/.exec(file)?.[1] ?? []);

function source(name: string): string {
  const found = readPackagedSource(name);
  if (found === undefined) throw new Error(`no profile ${name}`);
  return found.source;
}

/** Cache of profiles merged with the files that they extend. */
const resolvedTexts = new Map<string, string>();

function resolved(name: string): string {
  const text = resolvedTexts.get(name) ?? resolveText(source(name), `profiles/${name}.yaml`, packagedFiles);
  resolvedTexts.set(name, text);
  return text;
}

const errors = (yaml: string) => {
  validate(parse(yaml));
  return validate.errors ?? [];
};

it.each(FAMILIES)(
  'a new profile of the family %s names the published schema for editors, and conforms to it',
  (family) => {
    const draft = draftProfile({ name: 'well', family, history: [] });
    const { name } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    expect(schemaNamedIn(draft, root)).toBe(`https://unpkg.com/${name}/schemas/profile.schema.json`);
    expect(errors(draft)).toEqual([]);
  },
);

describe.each(names)('%s', (name) => {
  it('conforms to the schema, alone and merged with the files that it extends', () => {
    expect(errors(source(name))).toEqual([]);
    expect(errors(resolved(name))).toEqual([]);
  });

  it('names the schema for editors', () => {
    expect(schemaNamedIn(source(name), new URL(`profiles/${name}.yaml`, root))).toBe(schema.href);
  });

  it('is the same device type when it is merged with the files that it extends, and then extends no file', () => {
    const text = resolved(name);
    const nothing = () => undefined;
    const one = readProfile(text, `profiles/${name}.yaml`, nothing);
    const other = readProfile(source(name), `profiles/${name}.yaml`, packagedFiles, extended);
    expect(text).not.toContain('extends:');
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });
});

describe('a mistake', () => {
  const changes: readonly (readonly [what: string, from: RegExp, to: string])[] = [
    ['a section that is missing', /^message_version: .*$/m, ''],
    ['a section that is misspelt', /^tasks:/m, 'task:'],
    ['a word for a number', /^transfer_buffer: .*$/m, 'transfer_buffer: large'],
    ['a number out of range', /^transfer_buffer: .*$/m, 'transfer_buffer: 1'],
    ['an unknown command', /- accel$/m, '- accelerate'],
    ['a duration without a unit', /first_report: 10s/, 'first_report: 10'],
    ['an unknown type of parameter', /type: bool/, 'type: boolean'],
    ['an unknown model', /model: daily/, 'model: weekly'],
    ['an option of another model', /model: constant/, 'model: constant\n        per_hour: 3'],
    ['an unknown source of a body', /fact uptime/, 'uptime'],
    ['an invalid hash', /hash: \w+/, 'hash: abc'],
    ['a codec of another version', /version: 2$/m, 'version: 3'],
  ];

  it.each(changes)('is found by the schema and by the checks: %s', (_what, from, to) => {
    const text = resolved('push').replace(from, to);
    expect(text).not.toBe(resolved('push'));
    expect(errors(text)).not.toEqual([]);
    expect(() => readProfile(text, 'push.yaml', () => undefined)).toThrow();
  });

  it('is also found in a profile that extends another', () => {
    const text = source('push');
    expect(errors(text.replace('after_failed_send: drop', 'after_failed_send: maybe'))).not.toEqual([]);
    expect(errors(text.replace('extends: common/chester.yaml', 'extends: /etc/passwd'))).not.toEqual([]);
  });
});
