/** The `setup` of a scenario: valid and invalid entries, and their display in a plan. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/input/problems.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { describeDeviceTypes } from '../../../src/runner/known-types.js';
import type { Plan } from '../../../src/scenario/model/plan.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { SETUP_NAMES, SETUPS } from '../../../src/scenario/setup/index.js';

const profiles = packagedProfiles();

const IMAGE = JSON.stringify({ data: Buffer.from('an image').toString('base64') });
const FILES: Readonly<Record<string, string>> = {
  'forward.js': 'function main(job) { return null }',
  'v2.json': IMAGE,
  'broken.json': '{ "data": "?" }',
};

function planOf(entries: readonly string[], steps: readonly string[] = []): Plan {
  const list = (lines: readonly string[]) => lines.map((line) => `  - ${line}`);
  const source = [
    ...['name: test', 'duration: 2h', 'fleet: [{ name: clime, profile: clime, count: 3 }]'],
    ...['setup:', ...list(entries)],
    ...(steps.length === 0 ? [] : ['steps:', ...list(steps)]),
  ].join('\n');
  const readFile = (path: string) => {
    const text = FILES[path];
    if (text === undefined) throw new Error(`"${path}" cannot be read: the file does not exist`);
    return { file: path, text };
  };
  return planScenario(parseScenario(source, 'test.yaml', describeDeviceTypes(profiles), { profiles, readFile }));
}

/** Entries with the names `n100`, `n101` and so on. */
function many(count: number, entry: (name: string) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => entry(`n${100 + index}`));
}

/** The problems, each as `line:column: message`; the first entry is in line 5. */
function problemsOf(entries: readonly string[], steps: readonly string[] = []): readonly string[] {
  try {
    planOf(entries, steps);
  } catch (error) {
    if (error instanceof InputError) return error.problems.map((p) => `${p.line}:${p.column}: ${p.message}`);
    throw error;
  }
  return [];
}

describe('every kind of setup', () => {
  it.each(SETUP_NAMES)('%s has a description, and its example can be read', (name) => {
    expect(SETUPS[name].about).toMatch(/^\S.{10,}[^.]$/);
    expect(planOf([SETUPS[name].example]).setup).toMatchObject([{ setup: name }]);
  });
});

describe('an entry', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'of a client with the name of another client',
      [
        'client: { name: a }',
        'client: { name: a, space: b }',
        'firmware: { name: a, profile: clime, version: v9.0.0 }',
      ],
      ['6:5: another client already has the name "a"'],
    ],
    [
      'of a client with an invalid name, in a space with an invalid name',
      ['client: { name: 3, space: "next door" }'],
      [
        expect.stringContaining('5:21: "3" is not a name of small letters'),
        expect.stringContaining('5:31: "next door" is not a name of small letters, digits and hyphens that begins'),
      ],
    ],
    [
      'of an unknown kind',
      ['tags: { name: a }'],
      [
        '5:5: "tags" is not a key of an entry of setup (did you mean "tag"?); it has tag, variable, connector, firmware, client, request',
      ],
    ],
    [
      'that is a word instead of a map',
      ['tag'],
      ['5:5: "tag" is not a resource: a map with one of tag, variable, connector, firmware, client, request'],
    ],
    [
      'of a tag with an invalid colour',
      ['tag: { name: a, color: blue }'],
      ['5:28: "blue" is not a colour such as "#1f77b4", or "#abc" for "#aabbcc"'],
    ],
    ['of a variable without a value', ['variable: { name: a, value: }'], ['5:33: an empty value is not a text']],
    [
      'of a connector without a script',
      ['connector: { name: a }'],
      ['5:16: connector needs either "script" or "file"'],
    ],
    [
      'of a connector with a script and a file',
      ['connector: { name: a, script: x, file: forward.js }'],
      ['5:16: connector needs either "script" or "file"'],
    ],
    [
      'of a connector whose script file does not exist',
      ['connector: { name: a, file: backward.js }'],
      ['5:33: "backward.js" cannot be read: the file does not exist'],
    ],
    [
      'of a connector with a timeout of half a second',
      ['connector: { name: a, script: x, timeout: 500ms }'],
      ['5:47: "500ms" is not a whole number of seconds such as "30s"'],
    ],
    [
      'of a firmware for an unknown device type',
      ['firmware: { name: v2, profile: clim, version: v9 }'],
      [expect.stringMatching(/^5:36: "clim" is not a profile \(did you mean "clime"\?\); the profiles are /)],
    ],
    [
      'of a firmware with an image that is too small for its header',
      ['firmware: { name: v2, profile: clime, version: v9, size: 100 }'],
      ['5:62: "100" is not a whole number from 512 to 786000'],
    ],
    [
      'of a firmware with a file that is not an image',
      ['firmware: { name: v2, file: broken.json }'],
      ['5:33: "broken.json" is not an image made by "ghostfleet image"'],
    ],
    [
      'of a firmware with a name that another image has',
      ['firmware: { name: v2, profile: clime, version: v9 }', 'firmware: { name: v2, file: v2.json }'],
      ['6:5: another firmware already has the name "v2"'],
    ],
    [
      'of a connector with the name of another one',
      ['connector: { name: a, file: forward.js }', 'connector: { name: a, file: forward.js }'],
      ['6:5: another connector already has the name "a"'],
    ],
    [
      'of a variable with the name of another one of its environment',
      [
        'variable: { name: a, value: 1 }',
        'variable: { name: a, value: 1, environment: test }',
        'variable: { name: a, value: 2 }',
      ],
      ['7:5: another variable already has the name "a"'],
    ],
    [
      'of a variable with a value that the cloud rejects',
      [`variable: { name: a, value: ${'x'.repeat(4097)} }`],
      ['5:33: the value has more than 4096 characters, which is the limit of the cloud'],
    ],
    [
      'of a connector with times that the cloud rejects',
      ['connector: { name: a, file: forward.js, timeout: 90s, retry-delays: [8d] }'],
      ['5:54: "90s" is not a duration of at most 60s', '5:74: "8d" is not a duration of at most a week'],
    ],
    [
      'of a connector with more repetitions than the cloud accepts',
      [`connector: { name: a, file: forward.js, retry-delays: [${Array(51).fill('1s').join(', ')}] }`],
      [expect.stringContaining('5:59: a list of 51 is not')],
    ],
    [
      'of a connector with a script that is longer than the cloud accepts',
      [`connector: { name: a, script: ${'x'.repeat(65_537)} }`],
      [expect.stringMatching(/^5:35: the script has the character U\+0000, or more than 65536 characters/)],
    ],
    [
      'of one of more connectors than a space may have',
      many(101, (name) => `connector: { name: ${name}, file: forward.js }`),
      ['5:3: 101 entries of connector are more than 100, the limit of the cloud'],
    ],
    [
      'of one of more images than a space may have',
      many(101, (name) => `firmware: { name: ${name}, profile: clime, version: v9, size: 512 }`),
      ['5:3: 101 entries of firmware are more than 100, the limit of the cloud'],
    ],
    [
      'of one of more variables than a space may have',
      many(1001, (name) => `variable: { name: ${name}, value: 1 }`),
      ['5:3: 1001 entries of variable are more than 1000, the limit of the cloud'],
    ],
    [
      'of one of variables with more bytes than a space may have',
      many(64, (name) => `variable: { name: ${name}, value: ${'x'.repeat(4096)} }`),
      ['5:3: the names and values of all variables have 262400 bytes, more than 262144, the limit of the cloud'],
    ],
    [
      'of a tag with a name that the cloud rejects',
      [`tag: { name: ${'x'.repeat(65)} }`],
      [expect.stringContaining('is not a name of 1 to 64 printable characters')],
    ],
    [
      'of a request with a path outside the space',
      ['request: { post: keys, body: {} }'],
      ['5:22: "keys" is not a path below the space such as "/keys"'],
    ],
  ])('%s is rejected', (_what, entries, problems) => {
    expect(problemsOf(entries)).toEqual(problems);
  });

  it('is checked together with the others: all problems are reported', () => {
    expect(problemsOf(['tag: { name: "" }', 'variable: { value: 8 }'])).toEqual([
      '5:18: "" is not a name without blanks at its beginning and end, which the cloud would remove',
      '6:15: variable needs "name"',
    ]);
  });
});

describe('the step firmware', () => {
  const image = 'firmware: { name: v2, profile: clime, version: v9.0.0 }';

  it('names an image of the setup', () => {
    expect(planOf([image], ['{ at: 1h, firmware: v2 }']).actions).toMatchObject([{ step: 'firmware', options: 'v2' }]);
    expect(problemsOf([image], ['{ at: 1h, firmware: v3 }'])).toEqual(['7:25: unknown firmware "v3"; "setup" has v2']);
  });

  it('has no problem of its own if the setup is invalid', () => {
    expect(problemsOf(['firmware: { name: v3 }'], ['{ at: 1h, firmware: v3 }'])).toEqual([
      '5:15: firmware needs "profile"',
      '5:15: firmware needs "version"',
    ]);
  });
});

describe('a plan', () => {
  it('shows the entries in their order, without secrets', () => {
    const text = describePlan(
      planOf([
        'tag: { name: cold }',
        'variable: { name: token, value: s3cret, secure: true }',
        'connector: { name: forward, tags: [cold], file: forward.js }',
        'firmware: { name: v2, profile: clime, version: v9.0.0, damaged: true }',
        'firmware: { name: v3, file: v2.json }',
        'request: { post: /keys, body: { name: dash } }',
      ]),
    );
    expect(text).toContain(
      [
        'setup     tag "cold"',
        '          variable "token" = ***',
        '          connector "forward", up, data of cold',
        '          firmware "v2", v9.0.0 for clime, 65536 bytes, damaged',
        '          firmware "v3", from v2.json',
        '          request POST /keys',
      ].join('\n'),
    );
    expect(text).not.toContain('s3cret');
  });

  it('contains a fingerprint of an image from a file, instead of its bytes', () => {
    const text = JSON.stringify(planOf(['firmware: { name: v3, file: v2.json, version: v9 }']).setup);
    expect(text).toMatch(/"content":\{"print":"[0-9a-f]{16}","version":"v9"\}/);
  });
});
