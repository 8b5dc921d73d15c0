import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SelectableDevice, STATES } from '../../../src/scenario/selector/device.js';
import { makePattern } from '../../../src/scenario/selector/fields.js';
import { parseSelector, SelectorError } from '../../../src/scenario/selector/grammar.js';
import { makeMatcher, makeSamplingRandom } from '../../../src/scenario/selector/match.js';
import { nameSelector } from '../../../src/scenario/selector/selector.js';
import { compareVersions, parseVersion } from '../../../src/scenario/selector/version-order.js';

const device = (change: Partial<SelectableDevice> = {}): SelectableDevice => ({
  name: 'cellar-0007',
  serial: 2_159_017_985,
  group: 'cellar',
  number: 7,
  region: 'west',
  profile: 'clime',
  tags: ['cold', 'north'],
  fw: 'v3.5.1',
  battery: 40,
  state: 'asleep',
  ...change,
});

const selects = (text: string, change?: Partial<SelectableDevice>): boolean | undefined => {
  const one = device(change);
  return makeMatcher(parseSelector(text), { devices: [one], random: makeSamplingRandom(1) })(one);
};

/** The message for an invalid selector. */
function complaint(text: string): string {
  try {
    parseSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) return error.message;
  }
  throw new Error(`no complaint about ${text}`);
}

describe('a selector', () => {
  it.each([
    '*',
    'all',
    'cellar',
    'cellar/7',
    'cellar/3..9',
    'region/west',
    'region=w*',
    'tag/cold',
    '100%',
    '50% of cellar & state=asleep',
    '!10% of attic',
    'cellar-0007',
    'cellar-*',
    '*-00*7',
    '2159017985',
    'name=cellar-0007',
    'group=cell*',
    'serial>=2159017985',
    'profile=clime',
    'tag=cold',
    'tag!=warm',
    'fw=3.5.1',
    'fw>3.5',
    'fw<3.10',
    'battery<50',
    'battery=40%',
    'state=asleep',
    '!state=off',
    'attic | cellar',
    'attic | cellar & tag=cold',
    '(attic | cellar) & tag=north',
    '!(attic | state=off)',
    '!!cellar',
    '"cellar-0007"',
    "tag='north'",
  ])('%s matches the device', (text) => expect(selects(text)).toBe(true));

  it.each([
    'attic',
    'cellar/8',
    'cellar/8..9',
    'attic/7',
    'region/east',
    'tag/warm',
    '50% of attic',
    'ellar',
    'cellar-0008',
    'clime',
    'tag!=cold',
    'tag=co',
    'fw<3.1',
    'fw>=3.10',
    'battery>40',
    'state=ready',
    '!cellar',
    'attic & cellar',
    'cellar & !tag=cold',
    '(attic | cellar) & tag=warm',
  ])('%s does not match the device', (text) => expect(selects(text)).toBe(false));

  it.each([
    ['', 'column 1 of the selector: expected a name, "field=value", "!" or "(", found the end'],
    ['cellar &', 'column 9 of the selector: expected a name'],
    ['cellar & | attic', 'column 10 of the selector: expected a name, "field=value", "!" or "(", found "|"'],
    ['(cellar & attic', 'column 16 of the selector: the ")" is missing for the "(" in column 1'],
    ['cellar attic', 'column 8 of the selector: expected "&", "|" or the end, found "attic"'],
    ['cellar)', 'column 7 of the selector: expected "&", "|" or the end, found ")"'],
    ['cellar & batery<20', 'column 10 of the selector: "batery" is not a field (did you mean "battery"?)'],
    ['battery<', 'column 9 of the selector: battery< needs a number of percent such as 20'],
    ['battery<low', 'column 9 of the selector: "low" is not a number of percent such as 20'],
    ['fw<three', 'column 4 of the selector: "three" is not a version such as 3.1 or v3.5.1'],
    ['serial=12x', 'column 8 of the selector: "12x" is not a serial number'],
    ['state=awake', 'column 7 of the selector: "awake" is not one of off, starting, ready or asleep'],
    ['state<ready', 'column 1 of the selector: state can only be compared with = or !='],
    ['tag=cold & "north', 'column 12 of the selector: the quotation mark " is not closed'],
    [`${'('.repeat(200)}a`, 'column 101 of the selector: the selector is nested deeper than 100 levels'],
  ])('%j is rejected with the column of the error', (text, message) => expect(complaint(text)).toContain(message));

  it('marks the place of an error below the text', () => {
    try {
      parseSelector('fw<3.1 & battery<200x');
      expect.unreachable();
    } catch (error) {
      expect((error as SelectorError).hint).toBe(['  fw<3.1 & battery<200x', '                   ^'].join('\n'));
      expect((error as SelectorError).column).toBe(18);
    }
  });

  it('combines the meanings of its parts with "!", "&" and "|", at any depth', () => {
    interface Made {
      readonly text: string;
      readonly holds: boolean;
    }
    const leaf = fc.constantFrom<Made>(
      { text: 'cellar', holds: true },
      { text: 'attic', holds: false },
      { text: 'fw>3.1', holds: true },
      { text: 'battery < 20', holds: false },
      { text: 'tag=cold', holds: true },
    );
    const { tree } = fc.letrec<{ tree: Made }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        tie('tree').map(({ text, holds }) => ({ text: `!(${text})`, holds: !holds })),
        fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => ({
          text: `(${a.text})&(${b.text})`,
          holds: a.holds && b.holds,
        })),
        fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => ({
          text: ` ( ${a.text} ) | ( ${b.text} ) `,
          holds: a.holds || b.holds,
        })),
      ),
    }));
    fc.assert(
      fc.property(tree, ({ text, holds }) => {
        expect(selects(text)).toBe(holds);
      }),
    );
  });

  it('binds "!" more tightly than "&", and "&" more tightly than "|"', () => {
    const names = ['cellar', 'attic'] as const;
    const literal = fc.record({ name: fc.constantFrom(...names), not: fc.boolean() });
    fc.assert(
      fc.property(fc.array(fc.array(literal, { minLength: 1 }), { minLength: 1 }), (sum) => {
        const text = sum
          .map((product) => product.map(({ name, not }) => (not ? `!${name}` : name)).join('&'))
          .join('|');
        const holds = sum.some((product) => product.every(({ name, not }) => (name === 'cellar') !== not));
        expect(selects(text)).toBe(holds);
      }),
    );
  });

  it('is read or rejected for any text, and an error has a column in the text or just after it', () => {
    const piece = fc.constantFrom(
      '(',
      ')',
      '!',
      '&',
      '|',
      '<',
      '>=',
      '=',
      '"',
      "'",
      ' ',
      'fw',
      'battery',
      '3.1',
      '*',
      'ä',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          try {
            expect(typeof selects(text)).toBe('boolean');
          } catch (error) {
            expect(error).toBeInstanceOf(SelectorError);
            const { column } = error as SelectorError;
            expect(column).toBeGreaterThanOrEqual(1);
            expect(column).toBeLessThanOrEqual(text.length + 1);
          }
        },
      ),
    );
  });

  it.each([
    'all',
    'cellar',
    'cellar/3..7',
    '10% of tag/cold',
    '10% of (a1 | b2 & c3)',
    'fw<3.1 & !(battery>=20 | name="x y")',
    '!tag=cold',
  ])('%s has a name that is read as the same selector', (text) => {
    const read = parseSelector(text);
    expect(parseSelector(nameSelector(read))).toEqual(read);
  });

  it('accepts a tag with spaces if the fleet has it', () => {
    expect(parseSelector('50% of tag/cold store & cellar', ['cold store'])).toMatchObject({
      kind: 'and',
      parts: [
        { kind: 'sample', of: { kind: 'tag', tag: 'cold store' } },
        { kind: 'word', word: 'cellar' },
      ],
    });
  });

  it.each([
    ['fw<3.10', 'v3.9.0+build7', true],
    ['fw>=3.10', 'v3.10.0+build7', true],
    ['fw=3.10', 'v3.10.0+build7', true],
    ['fw=3.10.0+build7', 'v3.10.0+build7', true],
    ['fw=3.10.0+build7', 'v3.10.0', false],
    ['fw=nightly', 'nightly', true],
    ['fw=night*', 'nightly', true],
    ['fw=3.10', 'nightly', false],
    ['fw!=nightly', 'v3.10.0', true],
    ['fw!=3.10', 'nightly', true],
    ['fw=4.*', 'v4.0.0', true],
  ])('%s of a device with the firmware %s is %s', (text, fw, expected) => {
    expect(selects(text, { fw })).toBe(expected);
  });

  it.each([
    ['fw<3.10', undefined],
    ['!(fw>=3.10)', undefined],
    ['fw<3.10 & clime-0001', undefined],
    ['fw<3.10 & attic', false],
    ['fw<3.10 | clime-0001', true],
    ['fw<3.10 | attic', undefined],
  ])('%s of a device with the firmware nightly is %s: undefined if it depends on the order', (text, expected) => {
    expect(selects(text, { fw: 'nightly', name: 'clime-0001' })).toBe(expected);
  });

  it('accepts every state', () => {
    for (const state of STATES) expect(selects(`state=${state}`, { state })).toBe(true);
  });
});

describe('a pattern', () => {
  it('matches the same texts as a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
    fc.assert(
      fc.property(word, text, (w, t) => {
        expect(makePattern(w)(t)).toBe(new RegExp(`^${w.replaceAll('*', '.*')}$`).test(t));
      }),
    );
  });
});

describe('versions', () => {
  it('are ordered by their numbers, with a pre-release before its release', () => {
    const order = [
      '2.10',
      'v3.1',
      '3.9.9',
      '3.10.0-1',
      '3.10.0-rc.2',
      '3.10.0-rc.10',
      '3.10.0-rc1',
      '3.10.0-rc1.1',
      '3.10.0-rc10',
      'v3.10.0-rc2',
      '3.10',
      '3.10.1',
      '10.0',
    ];
    const compared = order.flatMap((a) =>
      order.map((b) => {
        const [left, right] = [parseVersion(a), parseVersion(b)];
        return left && right && Math.sign(compareVersions(left, right));
      }),
    );
    expect(compared).toEqual(order.flatMap((_, i) => order.map((__, j) => Math.sign(i - j))));
  });

  it('are the same with and without zeros at the end, and with and without a build', () => {
    const [a, b] = [parseVersion('3.1'), parseVersion('v3.1.0+build7')];
    expect(a && b && compareVersions(a, b)).toBe(0);
  });
});
