/** What an editor with yaml-language-server says about scenarios: nothing about good ones, and where a mistake is. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { getLanguageService } from 'yaml-language-server';
import { checkText } from '../../../src/cli/scenario-check/check-text.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { scenarioSchema } from '../../../src/scenario/parse/schema.js';
import { folderOfTest } from '../../support/folder-of-test.js';
import { ghostfleet } from '../../support/host.js';

/** Where the schema of the newest published version is. */
const SCHEMA_URL = 'https://unpkg.com/ghostfleet/schemas/scenario.schema.json';

const published = JSON.stringify(scenarioSchema({ profiles: packagedProfiles(), others: true }));

const service = getLanguageService({
  schemaRequestService: async (address) =>
    address === SCHEMA_URL ? published : readFileSync(new URL(address), 'utf8'),
  workspaceContext: { resolveRelativePath: (path, file) => new URL(path, file).href },
});
service.configure({ validate: true, completion: true, hover: true, customTags: [], schemas: [], yamlVersion: '1.2' });

const HEAD = `# yaml-language-server: $schema=${SCHEMA_URL}\n`;

let version = 0;

/** The server keeps what it has read of a version. */
function documentOf(text: string, file = 'file:///scenario.yaml'): TextDocument {
  return TextDocument.create(file, 'yaml', ++version, text);
}

/** The lines of the file with a message, from 1, and the messages. */
async function messagesAbout(text: string, file?: string): Promise<readonly { line: number; message: string }[]> {
  const found = await service.doValidation(documentOf(text, file), false);
  return found.map(({ range, message }) => ({ line: range.start.line + 1, message }));
}

/** A scenario with one key a line, so that a line says what is meant. */
const BASE = `${HEAD}name: base
duration: 6h
setup:
  - client: { name: dashboard }
  - firmware:
      name: v2
      profile: clime
      version: v9.0.0
fleet:
  - name: cellar
    profile: clime
    firmware: 3.5.5
    count: 20
    region: north
    tags: [cold]
    boot: { over: 10m, pattern: poisson }
    config:
      interval-report: 900
      mode: lte
      lte apn: iot.1nce.net
  - name: gate
    profile: control
    count: 5
network:
  latency: 150ms..900ms
  loss: 2%
faults:
  - outage: both
    from: 1h
    until: 2h
    to: cellar
steps:
  - at: 1h
    to: 10% of cellar
    over: 10m
    config: { interval-report: 1200 }
  - after: device.ready == fleet.devices
    shell: send
load:
  - list-devices:
    rate: 2/s
    as: dashboard
expect:
  - downlink.answered p(95) < 45m
`;

const change = (from: string, to: string): string => {
  if (BASE.split(from).length !== 2) throw new Error(`"${from}" is not once in the scenario`);
  return BASE.replace(from, to);
};

/** Good scenarios, by what is special about them. */
const GOOD: readonly (readonly [what: string, text: string])[] = [
  ['the scenario from which the others are made', BASE],
  ['a short scenario', `${HEAD}name: s\nduration: 1h\nfleet: [{ name: clime, profile: clime, count: 1 }]\n`],
  [
    'shares',
    `${HEAD}name: s\nduration: 1h\nfleet:\n  devices: 10\n  groups: [{ name: clime, profile: clime, share: 100% }]\n`,
  ],
  ['a parameter with its module', change('interval-report: 900', 'app interval-report: 900')],
  ['a number in quotation marks', change('interval-report: 900', 'interval-report: "900"')],
  ['a parameter of another module', change('lte apn: iot.1nce.net', 'lte network: 23003')],
  ['configuration as lines', change('config: { interval-report: 1200 }', 'config: [app config interval-report 1200]')],
  [
    'unknown parameters on purpose',
    change('config: { interval-report: 1200 }', 'unknown: true\n    config: { no-such: 1 }'),
  ],
  ['a version with its v', change('firmware: 3.5.5', 'firmware: v3.5.5')],
  [
    'a variable',
    change('duration: 6h', 'vars: { period: 900 }\nduration: 6h').replace(
      'report: 900',
      'report: $'.concat('{period}'),
    ),
  ],
  [
    'a variable in place of a profile',
    change('duration: 6h', 'vars: { type: clime }\nduration: 6h').replace(
      'profile: clime\n    firmware',
      'profile: $'.concat('{type}\n    firmware'),
    ),
  ],
  ['one latency', change('latency: 150ms..900ms', 'latency: 1s500ms')],
  ['a latency with spaces', change('latency: 150ms..900ms', 'latency: 0 .. 900ms')],
  ['no latency', change('latency: 150ms..900ms', 'latency: 0')],
  ['a clock that jumps and runs slow', change('shell: send', 'clock: { drift: -20.5 ppm, skew: +1h30m }')],
  ['a device', change('to: 10% of cellar', 'to: cellar/3')],
  ['several devices', change('to: 10% of cellar', 'to: cellar/3..7')],
  ['a region', change('to: 10% of cellar', 'to: region/north')],
  ['a tag', change('to: 10% of cellar', 'to: tag/cold')],
  ['a tag with spaces', change('tags: [cold]', 'tags: [hall 12]').replace('to: 10% of cellar', 'to: tag/hall 12')],
  ['a union', change('to: 10% of cellar', 'to: cellar | gate')],
  ['a comparison', change('to: 10% of cellar', 'to: "!profile=control & (group=cellar | tag/cold)"')],
  ['a pattern', change('to: 10% of cellar', 'to: cellar-00*')],
  ['a serial number', change('to: 10% of cellar', 'to: 2159017985')],
  ['a share within a limit', change('downlink.answered p(95) < 45m', 'downlink.answered within 1h >= 95%')],
  [
    'a quotient',
    change('downlink.answered p(95) < 45m', '(downlink.answered + downlink.pending) / downlink.queued > 95%'),
  ],
  ['a scope', change('downlink.answered p(95) < 45m', 'uplink.stored of region/north >= 100')],
  ['a client', change('downlink.answered p(95) < 45m', 'call.latency p(99.9) of client/dashboard <= 250ms')],
  ['a dimension', change('downlink.answered p(95) < 45m', 'downlink.answered p(95) by region < 45m')],
  ['an invariant', change('downlink.answered p(95) < 45m', 'always uplinks-stored-once')],
  [
    'an expectation that ends the run',
    change('- downlink.answered p(95) < 45m', '- { that: step.failed == 0, abort: 10m }'),
  ],
  [
    'an expectation that does not end the run',
    change('- downlink.answered p(95) < 45m', '- { that: step.failed == 0, abort: false }'),
  ],
  ['a fault of devices', change('outage: both', 'no-signal:')],
  ['a fault of the service', change('outage: both', 'api-errors: 20%').replace('\n    to: cellar\n', '\n')],
  ['a recurring fault', change('until: 2h', 'until: 5h\n    every: 1h\n    lasts: 5m')],
  [
    'merge keys',
    change('  - name: gate\n', '  - &gate\n    name: gate\n').replace(
      'network:',
      '  - { <<: *gate, name: attic }\nnetwork:',
    ),
  ],
  [
    'a device type of the user',
    change('profile: control', 'profile: my-device').replace(
      'config: { interval-report: 1200 }',
      'config: { my-parameter: 1 }',
    ),
  ],
];

/** Bad scenarios, each with the line of the mistake. */
const BAD: readonly (readonly [what: string, from: string, to: string])[] = [
  ['a misspelt part', 'faults:\n', 'fault:\n'],
  ['a name with capitals', 'name: base', 'name: Base'],
  ['a duration without a unit', 'duration: 6h', 'duration: 6'],
  ['a misspelt profile', 'profile: clime\n    firmware', 'profile: climb\n    firmware'],
  ['a profile with exchanged letters', 'profile: control', 'profile: cotnrol'],
  ['a misspelt profile of an image', 'profile: clime\n      version', 'profile: clme\n      version'],
  ['a version that the profile lacks', 'firmware: 3.5.5', 'firmware: 1.0.0'],
  ['a count that is a word', 'count: 20', 'count: many'],
  ['a count of 0', 'count: 5', 'count: 0'],
  ['an unknown key of a group', 'region: north', 'area: north'],
  ['an unknown boot pattern', 'pattern: poisson', 'pattern: wave'],
  ['a parameter that the profile lacks', 'interval-report: 900', 'interval-reprot: 900'],
  ['a value that is too small', 'interval-report: 900', 'interval-report: 1'],
  ['a value that is a word', 'interval-report: 900', 'interval-report: often'],
  ['a value that is none of the words', 'mode: lte', 'mode: wifi'],
  ['a parameter of another profile', 'lte apn: iot.1nce.net', 'lte apnn: iot.1nce.net'],
  ['a parameter that no device has', '{ interval-report: 1200 }', '{ interval-rapport: 1200 }'],
  ['a latency of the wrong kind', 'loss: 2%', 'loss: 20'],
  ['a word in place of a latency', 'latency: 150ms..900ms', 'latency: soon'],
  ['a range without an end', 'latency: 150ms..900ms', 'latency: 150ms..'],
  ['a number without its unit', 'latency: 150ms..900ms', 'latency: 150'],
  ['a drift without its unit', 'shell: send', "clock: { drift: '120' }"],
  ['a jump of a clock without a unit', 'shell: send', "clock: { skew: '-90' }"],
  ['a jump of no time', 'outage: both', 'clock-skew: 0s'],
  ['a word in place of a think time', '- list-devices:', '- chain: [{ get: /a, think: soon }, { get: /b }]'],
  ['a word in place of a time', 'duration: 6h', 'duration: 6h\nstart: soon'],
  ['an unknown fault', 'outage: both', 'outrage: both'],
  ['an unknown direction', 'outage: both', 'outage: sideways'],
  ['a time that is a word', 'from: 1h', 'from: noon'],
  ['a sample that is misspelt', 'to: 10% of cellar', 'to: 10% off cellar'],
  ['a selector that ends early', 'to: 10% of cellar', 'to: cellar &'],
  ['a field that only consoles know', 'to: 10% of cellar', 'to: state=off'],
  ['a region without a name', 'to: 10% of cellar', 'to: region/'],
  ['a metric that does not exist', 'downlink.answered p(95) < 45m', 'downlink.answred p(95) < 45m'],
  ['an aggregate that does not exist', 'downlink.answered p(95) < 45m', 'downlink.answered median < 45m'],
  ['a dimension that does not exist', 'downlink.answered p(95) < 45m', 'downlink.answered p(95) by colour < 45m'],
  ['an expectation without a comparison', 'downlink.answered p(95) < 45m', 'downlink.answered p(95)'],
  ['an invariant that does not exist', 'downlink.answered p(95) < 45m', 'always uplinks-stored-twice'],
  ['a metric of a condition that does not exist', 'device.ready == fleet', 'device.redy == fleet'],
  ['a rate without a unit', 'rate: 2/s', 'rate: 2'],
  ['a setup without a kind', '- client: { name: dashboard }', '- klient: { name: dashboard }'],
  ['two actions in one step', 'shell: send', 'shell: send\n    radio: off'],
];

describe('the published schema', () => {
  it.each(GOOD)('finds nothing wrong with a good scenario: %s', async (what, text) => {
    expect(await messagesAbout(text)).toEqual([]);
    // The command does not know the device type of the user either, because it has no folder here.
    if (what !== 'a device type of the user') expect(checkText(text).problems).toEqual([]);
  });

  it.each(BAD)('shows the line of a mistake, as validate does: %s', async (_what, from, to) => {
    const text = change(from, to);
    const places = checkText(text).problems.map(({ line }) => line);
    const messages = await messagesAbout(text);
    expect(places.length).toBeGreaterThan(0);
    expect(messages.filter(({ line }) => places.includes(line))).not.toEqual([]);
  });
});

describe('an editor', () => {
  /** The completions at the mark `▮`. */
  const completionsAt = async (text: string): Promise<readonly string[]> => {
    const file = documentOf(text.replace('▮', ''));
    const { items } = await service.doComplete(file, file.positionAt(text.indexOf('▮')), false);
    return items.map(({ label }) => label);
  };

  it('completes the names of profiles', async () => {
    const offered = await completionsAt(change('profile: control', 'profile: ▮'));
    expect(offered).toEqual(expect.arrayContaining([...packagedProfiles().keys()]));
  });

  it('completes the parameters and the versions of the profile that the group chooses', async () => {
    const ofClime = await completionsAt(change('      interval-report: 900\n', '      ▮\n'));
    expect(ofClime).toEqual(expect.arrayContaining(['interval-report', 'interval-sample', 'lte bands']));
    const ofControl = await completionsAt(change('    count: 5\n', '    count: 5\n    config:\n      ▮\n'));
    expect(ofControl).toContain('trigger-input-type');
    expect(ofClime).not.toContain('trigger-input-type');
    expect(await completionsAt(change('firmware: 3.5.5', 'firmware: ▮'))).toContain('3.5.5');
  });

  it('completes faults and their words, and metrics in expectations and conditions', async () => {
    const at = (lines: string) => completionsAt(`${HEAD}name: x\nduration: 1h\n${lines}`);
    expect(await at('faults:\n  - ▮\n')).toEqual(expect.arrayContaining(['outage', 'clock-skew', 'api-errors']));
    expect(await at('faults:\n  - outage: ▮\n')).toEqual(['both', 'up', 'down']);
    expect(await at('expect:\n  - ▮\n')).toEqual(expect.arrayContaining(['uplink.stored', 'downlink.answered']));
    expect(await at('steps:\n  - after: ▮\n')).toContain('device.ready');
  });

  it('completes parameters in steps', async () => {
    const offered = await completionsAt(change('config: { interval-report: 1200 }', 'config:\n      ▮'));
    expect(offered).toEqual(expect.arrayContaining(['interval-report', 'trigger-input-type']));
  });

  it('explains a key and a parameter', async () => {
    const file = documentOf(BASE);
    const shownAt = async (word: string) =>
      JSON.stringify(await service.doHover(file, file.positionAt(BASE.indexOf(word) + 1)));
    expect(await shownAt('boot: {')).toContain('When the devices start');
    expect(await shownAt('interval-report: 900')).toMatch(/report.*Default: 1800/i);
  });
});

describe('ghostfleet scenario schema', () => {
  it('prints a schema by path that knows the device types of the folder, and no others', async () => {
    const before = process.cwd();
    const folder = folderOfTest();
    try {
      process.chdir(folder);
      await ghostfleet(['init', 'device']);
      writeFileSync('scenario.schema.json', (await ghostfleet(['scenario', 'schema'])).out);
    } finally {
      process.chdir(before);
    }
    const file = pathToFileURL(join(folder, 'fleet.yaml')).href;
    const own = readFileSync(join(folder, 'my-device-fleet.yaml'), 'utf8').replace(
      SCHEMA_URL,
      './scenario.schema.json',
    );
    expect(await messagesAbout(own, file)).toEqual([]);
    const line = own.split('\n').findIndex((text) => text.includes('profile: my-device')) + 1;
    const other = own.replace('profile: my-device', 'profile: your-device');
    expect(await messagesAbout(other, file)).toEqual([{ line, message: expect.stringContaining('my-device') }]);
  });
});

it.each(['fleet.yaml', 'my-device-fleet.yaml'])(
  'the template %s names the published schema, and editors find nothing',
  async (name) => {
    const text = readFileSync(`templates/${name}`, 'utf8');
    expect(text.startsWith(HEAD)).toBe(true);
    expect(await messagesAbout(text)).toEqual([]);
  },
);
