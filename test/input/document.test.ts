import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LocatedNode, Problems, plain, readYaml } from '../../src/input/document.js';
import { InputError } from '../../src/input/problems.js';
import { anyText } from '../support/texts.js';

/** The problems of the text, each as one line. */
function problemsOf(text: string): string[] {
  try {
    readYaml(text, 'a.yaml');
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.message.split('\n');
    throw error;
  }
}

/** The node under a path of keys and indexes. */
function at(node: LocatedNode, ...path: (string | number)[]): LocatedNode | undefined {
  return path.reduce<LocatedNode | undefined>((here, step) => {
    if (here?.kind === 'map') return here.entries.get(String(step))?.value;
    if (here?.kind === 'list') return here.items[Number(step)];
    return undefined;
  }, node);
}

describe('a YAML file', () => {
  it('becomes values with their line and column', () => {
    const node = readYaml('fleet:\n  - profile: clime\n    count: 300\n', 'a.yaml');
    expect(at(node, 'fleet', 0, 'count')).toEqual({
      kind: 'scalar',
      file: 'a.yaml',
      line: 3,
      column: 12,
      value: 300,
      source: '300',
      textColumn: 12,
    });
    expect(at(node, 'fleet', 0)).toMatchObject({ kind: 'map', line: 2, column: 5 });
  });

  it('has the places of its keys', () => {
    const node = readYaml('a: 1\n\n  \nlonger key: 2\n', 'a.yaml');
    const key = node.kind === 'map' ? node.entries.get('longer key')?.key : undefined;
    expect(key).toMatchObject({ line: 4, column: 1 });
  });

  it('keeps the text of a number as it was written', () => {
    const node = readYaml('[1e3, 0x1F, 010, 1_000, "15m", 5%]', 'a.yaml');
    expect(node.kind === 'list' && node.items.map((item) => item.kind === 'scalar' && item.source)).toEqual([
      '1e3',
      '0x1F',
      '010',
      '1_000',
      '15m',
      '5%',
    ]);
    expect(plain(node)).toEqual([1000, 31, 10, '1_000', '15m', '5%']);
  });

  it.each([
    ['', null],
    ['# only a comment\n', null],
    ['key:\n', { key: null }],
    ['- \n- 2\n', [null, 2]],
    ['{a, b}', { a: null, b: null }],
    ['yes', 'yes'],
    ['1: one\ntrue: two', { 1: 'one', true: 'two' }],
    ['__proto__: {polluted: 1}', JSON.parse('{"__proto__": {"polluted": 1}}')],
    ['\uFEFFa: 1', { a: 1 }],
    ['a: |\n  two\n  lines\n', { a: 'two\nlines\n' }],
  ])('with the text %j has the value %j', (text, value) => {
    expect(plain(readYaml(text, 'a.yaml'))).toEqual(value);
  });

  it('has the place of an empty value', () => {
    expect(at(readYaml('a:\n  b:\n', 'a.yaml'), 'a', 'b')).toMatchObject({ line: 2, column: 5, value: null });
  });

  it('has the place at which a quoted text begins', () => {
    const node = readYaml('- plain\n- "double"\n- \'single\'\n', 'a.yaml');
    const columns = node.kind === 'list' && node.items.map((item) => item.kind === 'scalar' && item.textColumn);
    expect(columns).toEqual([3, 4, 4]);
  });

  it('that is JSON has the value of this JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // Compare with the parsed JSON, because JSON has no undefined values and writes -0 as 0.
        const json = JSON.stringify(value);
        expect(plain(readYaml(json, 'a.yaml'))).toEqual(JSON.parse(json));
      }),
    );
  });
});

describe('an alias', () => {
  it('is replaced by the value of its anchor, with the place of the anchor', () => {
    const node = readYaml('base: &base {interval: 15m}\nother: *base\n', 'a.yaml');
    expect(plain(node)).toEqual({ base: { interval: '15m' }, other: { interval: '15m' } });
    expect(at(node, 'other', 'interval')).toMatchObject({ line: 1, column: 24 });
  });

  it('refers to the last anchor of its name above it', () => {
    expect(plain(readYaml('- &a 1\n- *a\n- &a 2\n- *a\n', 'a.yaml'))).toEqual([1, 1, 2, 2]);
  });

  it('can be a key', () => {
    expect(plain(readYaml('a: &name clime\n*name : 1\n', 'a.yaml'))).toEqual({ a: 'clime', clime: 1 });
  });

  it.each([
    ['a: *missing', 'a.yaml:1:4: the alias "*missing" has no anchor "&missing" above it'],
    ['a: *b\nb: &b 1', 'a.yaml:1:4: the alias "*b" has no anchor "&b" above it'],
    ['a: &a [1, *a]', 'a.yaml:1:11: the alias "*a" is inside its own anchor'],
    ['a: &a {b: {c: *a}}', 'a.yaml:1:15: the alias "*a" is inside its own anchor'],
  ])('in %j is a problem', (text, message) => {
    expect(problemsOf(text)).toEqual([message]);
  });

  it('cannot expand a small file to millions of values', () => {
    // 8 levels of ten aliases each: 10^8 values.
    const levels = Array.from({ length: 8 }, (_, i) => {
      const items = new Array(10).fill(i === 0 ? 'x' : `*l${i - 1}`);
      return `l${i}: &l${i} [${items.join(', ')}]`;
    });
    expect(problemsOf(levels.join('\n'))[0]).toMatch(/^a\.yaml:5:.*the file expands to more than 100000 values$/);
  });

  it('may repeat a value many times below the limit', () => {
    const text = `a: &a [1, 2, 3]\nb: [${new Array(1000).fill('*a').join(', ')}]`;
    expect(plain(readYaml(text, 'a.yaml'))).toMatchObject({ b: new Array(1000).fill([1, 2, 3]) });
  });
});

describe('a merge key', () => {
  const merged = (text: string) => plain(readYaml(text, 'a.yaml'));
  const head = 'a: &a { x: 1, y: 2 }\nb: &b { y: 3, z: 4 }\n';

  it('adds the keys of another map; own keys win, wherever they are', () => {
    expect(merged(`${head}c: { <<: *a, y: 5 }\nd:\n  y: 6\n  <<: *b\n`)).toMatchObject({
      c: { x: 1, y: 5 },
      d: { y: 6, z: 4 },
    });
  });

  it('adds the keys of several maps; the earlier map wins', () => {
    expect(merged(`${head}c: { <<: [*a, *b] }\nd: { <<: [*b, { x: 7 }, *a], w: 0 }\n`)).toMatchObject({
      c: { x: 1, y: 2, z: 4 },
      d: { x: 7, y: 3, z: 4, w: 0 },
    });
  });

  it('adds keys that were merged themselves', () => {
    expect(merged(`${head}c: &c { <<: *a, w: 8 }\nd: { <<: *c }\n`)).toMatchObject({ d: { x: 1, y: 2, w: 8 } });
  });

  it('keeps the place of a merged value, and finds duplicate own keys', () => {
    expect(at(readYaml(`${head}c: { <<: *a }\n`, 'a.yaml'), 'c', 'y')).toMatchObject({ line: 1, column: 18 });
    expect(problemsOf(`${head}c: { <<: *a, y: 1, y: 2 }\n`)).toEqual([
      'a.yaml:3:20: duplicate key "y", first used in line 3',
    ]);
  });

  it('is an ordinary key in quotation marks, and needs a map', () => {
    expect(merged('"<<": 1\n')).toEqual({ '<<': 1 });
    expect(problemsOf('c: { <<: 3 }\n')).toEqual([
      'a.yaml:1:10: the merge key "<<" needs a map or a list of maps, such as "<<: *defaults"',
    ]);
    expect(problemsOf(`${head}c: { <<: [*a, 1] }\n`)).toHaveLength(1);
  });
});

it('a file for another version of YAML is rejected', () => {
  expect(problemsOf('%YAML 1.1\n---\na: { x: yes }\nb: { <<: 3 }\n')).toEqual([
    'a.yaml:1:1: "%YAML 1.1": files are read as YAML 1.2; remove this line',
  ]);
  expect(problemsOf('%YAML 1.2\n---\na: yes\n')).toEqual([]);
});

describe('a file with problems', () => {
  it.each([
    [
      'two documents',
      'count: 1\n---\ncount: 2\n',
      'a.yaml:2:1: a second document begins here; a file must have only one',
    ],
    [
      'half of a surrogate pair',
      'a: "x\\ud83d"',
      'a.yaml:1:4: "x\ufffd" is not valid Unicode: it contains half of a surrogate pair',
    ],
    [
      'half of one in a key',
      '"\\ude00": 1',
      'a.yaml:1:1: "\ufffd" is not valid Unicode: it contains half of a surrogate pair',
    ],
    ['duplicate keys', 'count: 1\ncount: 2\n', 'a.yaml:2:1: duplicate key "count", first used in line 1'],
    ['the same key in two spellings', '1: a\n"1": b\n', 'a.yaml:2:1: duplicate key "1", first used in line 1'],
    ['a list as a key', '? [a]\n: 1\n', 'a.yaml:1:3: a key must be plain text'],
    ['a map as a key', '? {a: 1}\n: 1\n', 'a.yaml:1:3: a key must be plain text'],
    ['an empty key', ': 1\n', 'a.yaml:1:1: a key must be plain text'],
    ['tabs as indentation', 'a:\n\tb: 1\n', 'a.yaml:2:1: a tab cannot indent a line; indent it with blanks'],
    ['a tag', 'a: !secret x\n', 'a.yaml:1:4: Unresolved tag: !secret'],
  ])('is rejected with the place of the problem: %s', (_, text, message) => {
    expect(problemsOf(text)).toEqual([message]);
  });

  it.each([
    ['two documents', 'a: 1\n---\nb: 2\n'],
    ['a quote without an end', 'a: "text\nb: 1\n'],
    ['a bracket without an end', 'a: [1, 2\nb: 1\n'],
    ['a map in the middle of a line', 'a: b: c\n'],
  ])('is rejected for %s', (_, text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0);
  });

  it.each([
    ['an alias', `a: *${'b'.repeat(9000)}\n`],
    ['a tag', `a: !${'b'.repeat(9000)} x\n`],
    ['a line behind a value', `a: "b" ${'c'.repeat(9000)}\n`],
    ['lines behind a list', `[1]\n${'c\n'.repeat(9000)}`],
  ])('is rejected with a short message for %s, however long the text is', (_, text) => {
    const problems = problemsOf(text);
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expect(problem.length).toBeLessThan(200);
  });

  it('is rejected for more than 100000 words and punctuation marks', () => {
    const text = `a: [${'b, '.repeat(50_000)}]`;
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^a\.yaml:1:\d+: the file is too long: .* 100000 words/)]);
  });

  it('is rejected with a limited number of problems', () => {
    const problems = problemsOf('? [k]\n: 1\n'.repeat(60));
    expect(problems).toHaveLength(51);
    expect(problems.slice(49)).toEqual(['a.yaml:99:3: a key must be plain text', '… and 10 more problems']);
  });

  it('is rejected with all problems together, in the order of the file', () => {
    const text = 'z: *z\na: 1\na: 2\n? [k]\n: 1\nb: !x 1\n';
    expect(problemsOf(text)).toEqual([
      'a.yaml:1:4: the alias "*z" has no anchor "&z" above it',
      'a.yaml:3:1: duplicate key "a", first used in line 2',
      'a.yaml:4:3: a key must be plain text',
      'a.yaml:6:4: Unresolved tag: !x',
    ]);
  });

  it.each([
    ['lists', '['.repeat(20_000)],
    ['closed lists', '['.repeat(6000) + ']'.repeat(6000)],
    ['maps', '{a: '.repeat(6000)],
    ['block maps', Array.from({ length: 1500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['block lists', '- '.repeat(6000)],
  ])('is rejected for %s that are nested thousands of levels deep', (_, text) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^a\.yaml:\d+:\d+: lists and maps are nested deeper than 100 levels$/);
  });

  it('is rejected for more than 100 nested levels, and not for 100', () => {
    expect(problemsOf(`${'['.repeat(100)}1${']'.repeat(100)}`)).toEqual([]);
    expect(problemsOf(`${'['.repeat(101)}1${']'.repeat(101)}`)).toHaveLength(1);
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'b: ',
      '- ',
      '? ',
      ': ',
      '\n',
      '  ',
      '\t',
      '[',
      ']',
      '{',
      '}',
      ',',
      '&x ',
      '*x',
      '!t ',
      '!!str ',
      '#c',
      '"',
    ],
    ...[
      "'",
      '|\n',
      '>-\n',
      '---\n',
      '...\n',
      '%YAML 1.1\n',
      '<<: ',
      '1',
      '0x',
      'null',
      '\0',
      '\r',
      '\u2028',
      '\ud800',
      '@',
    ],
  );
  const yamlLike = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

  it('is read, or rejected with places that exist', () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: yamlLike }, anyText), (text) => {
        const lines = text.split(/\r\n|\n|\r/).length + 1;
        try {
          const node = readYaml(text, 'a.yaml');
          plain(node);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          expect(error.problems.length).toBeGreaterThan(0);
          for (const { line, column, message } of error.problems) {
            expect(line).toBeGreaterThanOrEqual(1);
            expect(line).toBeLessThanOrEqual(lines);
            expect(column).toBeGreaterThanOrEqual(1);
            expect(message).not.toBe('');
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('collected problems', () => {
  it('are thrown sorted by file, line and column, each once', () => {
    const problems = new Problems();
    problems.add({ file: 'b.yaml', line: 1, column: 1 }, 'four');
    problems.add({ file: 'a.yaml', line: 10, column: 1 }, 'three');
    problems.add({ file: 'a.yaml', line: 9, column: 2 }, 'two');
    problems.add({ file: 'a.yaml', line: 9, column: 2 }, 'two');
    problems.add({ file: 'a.yaml', line: 9, column: 1 }, 'one');
    expect(() => problems.finish('see docs/SCENARIOS.md')).toThrow(
      expect.objectContaining({
        message: 'a.yaml:9:1: one\na.yaml:9:2: two\na.yaml:10:1: three\nb.yaml:1:1: four',
        hint: 'see docs/SCENARIOS.md',
        code: 'bad-file',
        exit: 2,
      }),
    );
  });

  it('throw nothing if the list is empty', () => {
    expect(() => new Problems().finish()).not.toThrow();
  });
});
