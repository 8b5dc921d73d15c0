/** Small scenarios that expand to large ones: variables in variables, and files that are included repeatedly. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/input/problems.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { TYPES } from '../fixtures.js';

function problems(text: string, file = ''): readonly string[] {
  try {
    parseScenario(text, 'main.yaml', TYPES, {
      profiles: new Map(),
      readFile: () => ({ file: 'part.yaml', text: file }),
    });
  } catch (error) {
    if (error instanceof InputError) return error.problems.map(({ message }) => message);
    throw error;
  }
  return [];
}

const $ = (name: string) => `\${${name}}`;

describe('a small scenario that expands to a large one', () => {
  it('is rejected with a message if each variable contains the previous one twice', () => {
    const doubled = Array.from({ length: 40 }, (_, n) => `  v${n + 1}: "${$(`v${n}`)}${$(`v${n}`)}"\n`);
    expect(problems(`name: x\nduration: 1h\nvars:\n  v0: aaaaaaaaaa\n${doubled.join('')}`)).toContainEqual(
      'the text is longer than 100000 characters with the values of its variables',
    );
  });

  it('is rejected with only one message if a long variable is used in many places', () => {
    const uses = Array.from({ length: 100 }, () => `  - "x${$('long')}"\n`).join('');
    const text = `name: x\nduration: 1h\nvars: { long: ${'a'.repeat(90_000)} }\nexpect:\n${uses}`;
    const said = problems(text).filter((message) => message.includes('variables insert'));
    expect(said).toEqual(['variables insert more than 4000000 characters']);
  });

  it.each([
    ['values', `expect: [${'a, '.repeat(7_000)}]`, 'the included files have more than 20000 values'],
    ['characters', `# ${'a'.repeat(350_000)}\nname: x`, 'the included files are longer than 1000000 characters'],
  ])('is rejected with a message if its included files have too many %s', (_, part, sentence) => {
    const includes = Array.from({ length: 3 }, (__, n) => `p${n}.yaml`).join(', ');
    expect(problems(`name: x\nduration: 1h\ninclude: [${includes}]\n`, part)).toContain(sentence);
  });
});
