import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grouped } from '../../src/console/grouping.js';

describe('answers', () => {
  it('that are equal are shown once, the largest group first', () => {
    const answers = [
      { from: 'cellar-0002', code: 0, lines: ['60'] },
      ...['cellar-0003', 'cellar-0001', 'cellar-0004'].map((from) => ({ from, code: 0, lines: ['900'] })),
      { from: 'gate-1', code: -22, lines: ['invalid'] },
      { from: 'gate-2', code: 0, lines: [] },
    ];
    expect(grouped(answers)).toEqual([
      '3 × cellar-0001, cellar-0003…0004',
      '  900',
      'cellar-0002',
      '  60',
      'gate-1: error -22 (EINVAL: invalid command or value)',
      '  invalid',
      'gate-2: nothing printed',
    ]);
  });

  it('explain the code of an error if the firmware defines the code', () => {
    const answers = [-12, -7].map((code) => ({ from: `gate${code}`, code, lines: [] }));
    expect(grouped(answers)).toEqual([
      'gate-12: error -12 (ENOMEM: too long for the memory: lines have at most 255 characters)',
      'gate-7: error -7',
    ]);
  });

  it('are grouped so that each device is in exactly one heading', () => {
    const answer = fc.record({
      from: fc.constantFrom('a', 'b', 'c', 'd'),
      code: fc.constantFrom(0, -5),
      lines: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(answer, { selector: ({ from }) => from }), (answers) => {
        const headings = grouped(answers).filter((line) => !line.startsWith(' '));
        for (const { from } of answers) {
          expect(headings.filter((line) => new RegExp(`\\b${from}\\b`).test(line.replace(/:.*/, '')))).toHaveLength(1);
        }
      }),
    );
  });
});

describe('names of devices', () => {
  it.each([
    [['a-1'], 'a-1'],
    [['a-0009', 'a-0010', 'a-0011'], 'a-0009…0011'],
    [['a-9', 'a-10'], 'a-10, a-9'],
    [['a', 'b'], 'a, b'],
    [['a-1', 'b-2'], 'a-1, b-2'],
    [['a1', 'a3', 'a5', 'a7', 'b1', 'b3', 'b5', 'b7'], 'a1, a3, a5, a7, b1, b3, …'],
  ])('%j are shown as %s', (names, text) => {
    const [heading] = grouped(names.map((from) => ({ from, code: 0, lines: ['x'] })));
    expect(heading).toBe(names.length === 1 ? text : `${names.length} × ${text}`);
  });
});
