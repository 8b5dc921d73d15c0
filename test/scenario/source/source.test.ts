/** Variables and included files of a scenario. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/input/problems.js';
import type { Scenario } from '../../../src/scenario/model/scenario.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { TYPES, yamlOf } from '../fixtures.js';

interface Sources {
  readonly files?: Readonly<Record<string, string>>;
  readonly vars?: Readonly<Record<string, string>>;
  /** Files that are symbolic links, and to which file they lead. */
  readonly links?: Readonly<Record<string, string>>;
}

function read(text: string, { files = {}, vars = {}, links = {} }: Sources = {}): Scenario {
  return parseScenario(text, 'main.yaml', TYPES, {
    profiles: new Map(),
    readFile: (path) => {
      const real = links[path] ?? path;
      const found = files[real];
      if (found === undefined) throw new Error(`"${path}" cannot be read: the file does not exist`);
      return { file: path, text: found, real: `/real/${real}` };
    },
    vars: new Map(Object.entries(vars)),
  });
}

function problems(text: string, sources?: Sources): readonly string[] {
  try {
    read(text, sources);
  } catch (error) {
    if (error instanceof InputError) return error.message.split('\n');
    throw error;
  }
  return [];
}

/** A scenario with variables. @param use more lines, in which `$` stands for `${` */
const withVars = (vars: string, use: string) =>
  `${yamlOf({ head: `name: test\nduration: 2h\nvars: ${vars}\n` })}${use.replaceAll('$', '${')}`;

describe('a variable', () => {
  it('keeps its type if it is the whole text, and is inserted as text otherwise', () => {
    const use = 'steps:\n  - { at: "$hour}h$n}m", config: { interval-report: "$period}", mode: "$mode}" } }\n';
    const { steps } = read(withVars('{ hour: 1, n: 30, period: 900, mode: lte }', use));
    expect(steps).toMatchObject([
      { at: 5_400_000, call: { options: ['app config interval-report 900', 'app config mode lte'] } },
    ]);
  });

  it('may use the variables above it', () => {
    expect(read(withVars('{ n: 5, long: "$n}m" }'.replace('$', '${'), 'settle: $long}\n')).settle).toBe(300_000);
  });

  it('can be set on the command line to a value of the same type', () => {
    const text = withVars('{ count: 3, long: 1m }', 'seed: $count}\nsettle: $long}\n');
    expect(read(text, { vars: { count: '17', long: '30s' } })).toMatchObject({ seed: 17, settle: 30_000 });
    expect(problems(text, { vars: { count: 'many' } })).toEqual([
      'main.yaml:3:16: "many" is not a number: the variable "count" is "3"',
    ]);
    expect(problems(text, { vars: { cont: '1' } })).toEqual([
      'main.yaml:3:7: "cont", from --var or GHOSTFLEET_VAR_cont in the environment, is not a variable of this scenario (did you mean "count"?); the scenario has count, long',
    ]);
  });

  it('that does not exist is a problem at the place of its use', () => {
    expect(problems(withVars('{ period: 900 }', 'settle: $peroid}\n'))).toContain(
      'main.yaml:7:9: unknown variable "peroid" (did you mean "period"?); the scenario has period',
    );
    expect(problems(withVars('{}', 'settle: $c}\n'))).toContain(
      'main.yaml:7:9: unknown variable "c"; the scenario has none',
    );
  });

  it('cannot use one at or below its place', () => {
    for (const vars of ['{ a: "$b}", b: x }', '{ b: "$b}" }'])
      expect(problems(withVars(vars.replace('$', '${'), ''))).toEqual([
        expect.stringMatching(/^main\.yaml:3:\d+: a variable can only use those above it: "b" is not above$/),
      ]);
  });

  it('of a wrong type is a problem at the place of its use', () => {
    expect(problems(withVars('{ long: soon }', 'settle: $long}\n'))[0]).toMatch(
      /^main\.yaml:7:9: "soon" is not a duration/,
    );
  });

  it('in braces without quotation marks is rejected with an explanation', () => {
    const text = withVars('{ n: 3 }', 'steps: [{ at: $n}, shell: send }]\n');
    expect(() => read(text)).toThrow(expect.objectContaining({ hint: expect.stringContaining('needs quotes') }));
  });

  it('in a key of a map is rejected with the reason', () => {
    const use = 'steps:\n  - { at: 1h, config: { "$key}": 600 } }\n';
    const reason = (place: string) =>
      `${place}: variables are replaced in values, not in keys: "$\{key}" stays as it is; write the key out`;
    expect(problems(withVars('{ key: interval-report }', use))).toEqual([reason('main.yaml:8:25')]);
    const step = 'steps:\n  - { at: 1h, "$key}": 600, shell: info show }\n';
    expect(problems(withVars('{ key: interval-report }', step))).toEqual([reason('main.yaml:8:15')]);
  });

  it('can be escaped', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of scenarios
    expect(read(`${withVars('{ n: 3 }', '')}next: ["$\${n}"]\n`).next).toEqual(['${n}']);
  });
});

describe('a value that is given for a name with "_"', () => {
  const settle = (vars: string, given: Readonly<Record<string, string>>) =>
    read(withVars(vars, 'settle: $long-time}\n'), { vars: given }).settle;

  it.each([
    ['is for the variable with "-"', '{ long-time: 5m }', { long_time: '7m' }, 420_000],
    [
      'gives way to a later value for the very name',
      '{ long-time: 5m }',
      { long_time: '7m', 'long-time': '8m' },
      480_000,
    ],
    ['is not for it if there is a variable with "_"', '{ long-time: 5m, long_time: 1m }', { long_time: '7m' }, 300_000],
  ])('%s', (_, vars, given, wanted) => {
    expect(settle(vars, given)).toBe(wanted);
  });

  it('must have its case, and mean one variable', () => {
    const wrong = (given: Readonly<Record<string, string>>) =>
      problems(withVars('{ long-time: 5m }', 'settle: $long-time}\n'), { vars: given }).join('\n');
    expect(problems(withVars('{ a-b_c: 1, a_b-c: 1 }', ''), { vars: { a_b_c: '1' } }).join()).toContain(
      '"a_b_c", from --var or',
    );
    expect(wrong({ LONG_TIME: '7m' })).toContain(
      '"LONG_TIME", from --var or GHOSTFLEET_VAR_LONG_TIME in the environment, is not a variable',
    );
  });

  it('is a secret if the variable is used for one', () => {
    const { secretVars } = read(
      withVars('{ api-key: none }', 'setup: [{ variable: { name: x, value: "$api-key}", secure: true } }]\n'),
      {
        vars: { api_key: 'hush' },
      },
    );
    expect([...secretVars]).toEqual(['api-key', 'api_key']);
  });
});

describe('a problem of a secret value', () => {
  const header = (value: string) => `load: [{ rate: 1/s, request: { get: /a, headers: { x-secret: "${value}" } } }]\n`;
  const wanted = 'is not a text of one line, with no characters beyond Latin-1';

  it.each([
    ['with a line break', 'hunter2\n', '"$token}\\n"'],
    ['with another character', 'hünter☃', '"$token}"'],
    ['of few characters', '☃a', '"$token}"'],
    ['of many characters', `☃${'0123456789'.repeat(20)}`, '"$token}…"'],
    ['with a quotation mark', '☃a"bc"d', '"$token}"'],
  ])('%s names the variable and not the value', (_, token, shown) => {
    const found = problems(withVars('{ token: "" }', header('$token}')), { vars: { token } });
    expect(found.map((line) => line.replace(/^\S+ /, ''))).toEqual([`${shown.replace('$', '${')} ${wanted}`]);
  });

  it('hides it also within a longer text, and as a value of another type', () => {
    expect(
      problems(withVars('{ token: "" }', header('Bearer $token}')), { vars: { token: 'hunter2\n' } }).join(),
    ).toContain(`"Bearer \${token}\\n" ${wanted}`);
    expect(problems(withVars('{ token: 0 }', header('$token}')), { vars: { token: 'hunter2' } }).join()).toContain(
      `"\${token}" is not a number: the variable "token" is "0"`,
    );
  });
});

describe('an include', () => {
  const COMMON = `
settle: 1m
network: { loss: 1%, latency: 100ms }
steps:
  - { at: 1h, to: clime, shell: send }
`;
  const main = (rest: string) => yamlOf({ head: `name: test\nduration: 2h\n${rest}` });

  it('merges maps and concatenates lists; for other values, the including file takes precedence', () => {
    const text = `${main('include: [common.yaml]\n')}network: { loss: 2% }\nsteps:\n  - { at: 2h, shell: send }\n`;
    const scenario = read(text, { files: { 'common.yaml': COMMON } });
    expect(scenario.settle).toBe(60_000);
    expect(scenario.faults).toMatchObject([
      { kind: 'loss', options: 0.02 },
      { kind: 'latency', options: { min: 100, max: 100 } },
    ]);
    expect(scenario.steps.map(({ at }) => at)).toEqual([3_600_000, 7_200_000]);
  });

  it('is relative to the file that has it, and may have variables', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of scenarios
    const files = { 'parts/a.yaml': 'include: b.yaml\n', 'parts/b.yaml': 'vars: { long: 5m }\nsettle: ${long}\n' };
    expect(read(main('include: parts/a.yaml\n'), { files }).settle).toBe(300_000);
    expect(read(main('include: parts/a.yaml\n'), { files, vars: { long: '7m' } }).settle).toBe(420_000);
  });

  it('reports a problem with its file, line and column', () => {
    const files = { 'common.yaml': 'settle: soon\nsteps:\n  - { at: 1h, to: clima, shell: send }\nbad: 1\n' };
    expect(problems(main('include: common.yaml\n'), { files }).map((line) => line.split(' ')[0])).toEqual([
      'common.yaml:1:9:',
      'common.yaml:3:19:',
      'common.yaml:4:1:',
    ]);
  });

  it.each([
    ['include: ../secret.yaml\n', {}, 'is not the path of a .yaml file in the folder of the scenario or below'],
    ['include: /etc/passwd\n', {}, 'is not the path'],
    ['include: none.yaml\n', {}, '"none.yaml" cannot be read: the file does not exist'],
    ['include: a.yaml\n', { 'a.yaml': 'include: b.yaml\n', 'b.yaml': 'include: a.yaml\n' }, 'a.yaml → b.yaml → a.yaml'],
    ['include: a.yaml\n', { 'a.yaml': '- 1\n' }, 'a.yaml:1:1: a list is not a part of a scenario'],
    ['include: a.yaml\n', { 'a.yaml': 'name: [\n' }, 'a.yaml:'],
  ])('is rejected with the reason: %s', (head, files, message) => {
    expect(problems(main(head), { files }).join('\n')).toContain(message);
  });

  const STEP = 'steps: [{ at: 1h, shell: send }]\n';

  it.each([
    ['is listed twice', 'include: [d.yaml, d.yaml]\n', {}, {}],
    ['has another spelling', 'include: [d.yaml, ././d.yaml, .//d.yaml]\n', {}, {}],
    ['is a link to the first', 'include: [d.yaml, link.yaml]\n', {}, { 'link.yaml': 'd.yaml' }],
    ['follows a link to it', 'include: [link.yaml, d.yaml]\n', {}, { 'link.yaml': 'd.yaml' }],
    [
      'is shared by two included files',
      'include: [b.yaml, parts/c.yaml]\n',
      { 'b.yaml': 'include: d.yaml\n', 'parts/c.yaml': 'include: d2.yaml\n' },
      { 'parts/d2.yaml': 'd.yaml' },
    ],
    [
      'is shared at different depths',
      'include: [d.yaml, b.yaml]\n',
      { 'b.yaml': 'include: c.yaml\n', 'c.yaml': 'include: ./d.yaml\n' },
      {},
    ],
  ])('counts once if the same file %s', (_, head, files, links) => {
    expect(read(main(head), { files: { ...files, 'd.yaml': STEP }, links }).steps).toHaveLength(1);
  });

  it('counts at its first place, so that both files that share it take precedence', () => {
    const files = {
      'b.yaml': 'include: d.yaml\nsettle: 2m\n',
      'c.yaml': 'include: d.yaml\nnetwork: { loss: 1% }\n',
      'd.yaml': 'settle: 1m\nnetwork: { loss: 3% }\n',
    };
    const { settle, faults } = read(main('include: [b.yaml, c.yaml]\n'), { files });
    expect([settle, faults]).toEqual([120_000, [expect.objectContaining({ kind: 'loss', options: 0.01 })]]);
  });

  it('counts each of two files with the same text', () => {
    const files = { 'd.yaml': STEP, 'e.yaml': STEP };
    expect(read(main('include: [d.yaml, e.yaml]\n'), { files }).steps).toHaveLength(2);
  });

  it('of the scenario in a file that it includes is rejected, and its parts are not there twice', () => {
    const text = main('include: a.yaml\n');
    expect(problems(text, { files: { 'a.yaml': 'include: main.yaml\n', 'main.yaml': text } })).toEqual([
      'a.yaml:1:10: "main.yaml" includes itself: a.yaml → main.yaml',
    ]);
  });

  it('of a path with a variable is rejected with the reason', () => {
    const path = '$' + '{env}-common.yaml';
    expect(problems(main(`include: ["${path}"]\n`))).toEqual([
      expect.stringContaining(`"${path}" is not replaced: "include" cannot use variables; write the path out`),
    ]);
  });

  it('of a file that includes itself by a link is rejected', () => {
    const [files, links] = [{ 'a.yaml': 'include: link.yaml\n' }, { 'link.yaml': 'a.yaml' }];
    const message = '"link.yaml" includes itself: a.yaml → link.yaml';
    expect(problems(main('include: a.yaml\n'), { files, links }).join('\n')).toContain(message);
  });

  it('of more than 100 files is rejected', () => {
    const files = Object.fromEntries(
      Array.from({ length: 110 }, (_, i) => [`f${i}.yaml`, `include: f${i + 1}.yaml\n`]),
    );
    expect(problems(main('include: f0.yaml\n'), { files }).join('\n')).toContain('more than 100 files');
  });
});

it('any text is either accepted, or rejected with a list of problems', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of scenarios
  const word = fc.constantFrom('${a}', '${', '$${a}', '}', 'a', '1', '10%', '+5m', 'clime/3..7', '1h', 'x > 1');
  const scalar = fc.oneof(word, fc.string(), fc.integer(), fc.constant(null));
  const key = fc.constantFrom(
    'include',
    'vars',
    'steps',
    'at',
    'for',
    'each',
    'in',
    'after',
    'within',
    'to',
    'shell',
    'a',
    'fleet',
    'devices',
    'groups',
    'share',
    'region',
    'network',
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, tree, { maxKeys: 6 }), fc.dictionary(key, fc.string()), (document, vars) => {
      const text = `name: x\nduration: 1h\n${Object.entries(document)
        .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
        .join('')}`;
      expect(Array.isArray(problems(text, { vars, files: { a: text } }))).toBe(true);
    }),
  );
});
