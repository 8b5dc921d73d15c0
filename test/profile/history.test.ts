/** Problems of histories for `profile new --from`, with their places. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/input/problems.js';
import { draftProfile } from '../../src/profile/draft.js';
import { readHistory } from '../../src/profile/history.js';
import { loadUserFiles } from '../../src/profile/library.js';
import { readProfile } from '../../src/profile/read.js';

function problemsOf(text: string): readonly string[] {
  try {
    readHistory(text, 'h.json');
  } catch (error) {
    if (error instanceof InputError) return error.message.split('\n');
    throw error;
  }
  return [];
}

const data = (body: string) => `[{"type":"data","body":${body}}]`;

describe('a history', () => {
  it.each([
    ['null', '1:24: "null" is not a map of sections with the values of a report'],
    ['[1]', '1:24: a list is not a map of sections with the values of a report'],
    ['"x"', '1:24: "x" is not a map of sections with the values of a report'],
    ['{"a":{"b":1e400}}', '1:34: "1e400" is not a number from -1000000000000 to 1000000000000'],
    ['{"a":{"b\\u0001":5}}', '1:30: "b\\u0001" is not a name of small letters, digits and _'],
    ['{"A":{"b":5}}', '1:25: "A" is not a name of small letters, digits and _'],
    ['{"a":{"__proto__":5}}', '1:30: "0/body/a" has the forbidden key "__proto__"'],
    ['{"a":{"b":"x"}}', '1:34: "x" is not a number, and no report has another number for a sensor'],
    ['{"a":{"b":{"c":5}}}', '1:34: a map is not a number, and no report has another number for a sensor'],
  ])('with the report %s is rejected with its place', (body, problem) => {
    expect(problemsOf(data(body))).toEqual([`h.json:${problem}`]);
  });

  it('may begin with a byte order mark', () => {
    expect(problemsOf(`\ufeff${data('null')}`)).toEqual([
      'h.json:1:25: "null" is not a map of sections with the values of a report',
    ]);
  });

  it.each([
    ['{}', '1:1: an empty map is not a list of messages, as GET …/messages returns it'],
    ['[]', '1:1: an empty list is not a list of messages, as GET …/messages returns it'],
    ['[7]', '1:2: "7" is not a message: a map with "type" and "body"'],
    ['[{"type":"data"}]', '1:2: "body" is missing in this message'],
    ['[{"type":5,"body":{}}]', '1:10: "5" is not the type of a message, such as "data"'],
    ['[{"type":"session","body":[]}]', '1:27: an empty list is not a map with the facts of a session'],
    ['[\n{"type":"data",', '2:16: the end of the file is not a key in quotation marks'],
    ['[\n{"type":"data" 5}]', '2:16: "5" is not a comma or "}"'],
    ['[{"type":"data",\n"type":"session"}]', '2:1: "0" has the key "type" more than once'],
    ['{"a":"\\ud83d"}', '1:6: "a" is not valid Unicode: it contains half of a surrogate pair'],
    ['{"__proto__":1}', '1:2: the file has the forbidden key "__proto__"'],
    ['[1,]', '1:4: "]" is not a value in JSON'],
    ['["a\tb"]', '1:2: ""a\\tb"" is not a value in JSON'],
    ['[1] 2', '1:5: "2" is not the end of the file'],
    ['[', '1:2: the end of the file is not a value in JSON'],
  ])('%j is rejected with its place', (text, problem) => {
    expect(problemsOf(text)).toEqual([`h.json:${problem}`]);
  });

  it('with 50,000 levels is rejected', () => {
    expect(problemsOf('['.repeat(50_000))).toEqual(['h.json:1:1: the JSON is nested too deep: the limit is 64 levels']);
  });

  it('with several problems is rejected with all of them', () => {
    const config = '{"type":"config","body":["app config interval-report 1e9", 5, "app config É 1"]}';
    expect(problemsOf(`[${config},\n{"type":"data","body":5}]`)).toEqual([
      'h.json:1:27: "1e9" is not a whole number of seconds for "interval-report"',
      'h.json:1:61: "5" is not a configuration line',
      'h.json:1:64: "É" is not the name of a parameter in lower case',
      'h.json:2:23: "5" is not a map of sections with the values of a report',
    ]);
  });

  it('with bodies as JSON texts is read like one with bodies as objects; a problem has the place of its text', () => {
    const messages = [
      { type: 'data', body: { probe: { depth: 1.25 } } },
      { type: 'config', body: ['app config interval-report 600'] },
      { type: 'session', body: { fw_name: 'W' } },
    ];
    const asTexts = messages.map((message) => ({ ...message, body: JSON.stringify(message.body) }));
    expect(readHistory(JSON.stringify(asTexts), 'h.json')).toEqual([...messages].reverse());
    expect(problemsOf('[{"type":"data","body":"{\\"A\\":{\\"b\\":5}}"}]')).toEqual([
      'h.json:1:24: "A" is not a name of small letters, digits and _',
    ]);
  });

  it('that lacks the content of a session, of a configuration or of a report is rejected', () => {
    const missing = (type: string, what: string) =>
      `h.json:1:1: an uplink of the type "${type}" with content is missing: it has ${what}`;
    const texts = [
      '[{"type":"session","body":{}},{"type":"config","body":[]},{"type":"data","body":{"a":{"b":5}}}]',
      '[{"type":"session","body":{"fw_name":"W"}},{"type":"config","body":["app config a 5"]}]',
    ];
    expect(texts.map(problemsOf)).toEqual([
      [missing('session', 'the identity of the device'), missing('config', 'the parameters of the application')],
      [missing('data', 'the values of the reports')],
    ]);
  });

  it('with texts of a session that are too long is rejected with their places', () => {
    expect(problemsOf(`[{"type":"session","body":{"vendor_name":"${'x'.repeat(17)}","hw_revision":"R3.2"}}]`)).toEqual([
      'h.json:1:42: "xxxxxxxxxxxxxxxxx" is not a text of at most 16 characters',
    ]);
  });

  it('with unusual but valid values becomes a valid profile', () => {
    const body = '{"list":[1],"text":"x","deep":{"a":{"b":1}},"constructor":{"to_string":-1e12},"tiny":{"x":1e-7}}';
    const config = '{"type":"config","body":["app config a 99999999999", "app config b \\u0001: #", "lte config É x"]}';
    const session = '{"type":"session","body":{"fw_name":"W\\n: x"}}';
    const history = readHistory(`[${data(body).slice(1, -1)},${config},${session}]`, 'h.json');
    for (const family of ['chester', 'hio'] as const) {
      const text = draftProfile({ name: 'odd', family, history });
      expect(readProfile(text, 'odd.yaml', loadUserFiles('odd.yaml')).sensors.map(({ name }) => name)).toEqual([
        'constructor',
        'tiny',
      ]);
    }
  });
});
