/** The search of the fleet. */
import { describe, expect, it } from 'vitest';
import type { Row } from '../../web/src/model/fleet.js';
import { has, needsRun, runSelector, searchFor, toggled } from '../../web/src/model/search.js';

/** The cast is safe because the search reads only these fields of a row. */
const row = (name: string, serial: string) =>
  ({ id: name, name, serial, profile: 'clime', region: null, tags: [], firmware: 'v4.0.0' }) as unknown as Row;
const ROWS = [row('cellar-0001', '11'), row('cellar-0002', '12')];

const found = (text: string, serials?: readonly string[], failure = '') => {
  const search = searchFor(text, [], ROWS, serials && { serials: new Set(serials), failure });
  return { names: ROWS.filter(search.matches).map(({ name }) => name), failure: search.failure };
};

describe('a selector by the battery or the state', () => {
  it.each(['battery<20', 'state=asleep', 'cellar & !(state != ready)', 'battery >= 5 | cellar-0001'])(
    'selects in a run what the run has answered: %s',
    (text) => {
      expect(needsRun(text)).toBe(true);
      expect(found(text, ['12'])).toEqual({ names: ['cellar-0002'], failure: '' });
    },
  );

  it('is refused without a run, and shows the error of the run', () => {
    expect(found('battery<20').failure).toBe('"battery" is known only for virtual devices in a run');
    expect(found('battery<x', [], 'no number').failure).toBe('no number');
  });
});

it('a device whose firmware is not a version is neither lower nor higher: the search says that it leaves it out', () => {
  const rows = ['v4.0.0', 'nightly', ''].map((firmware) => ({ ...row('x', '1'), firmware }));
  expect(rows.map(searchFor('fw<5', [], rows).matches)).toEqual([true, undefined, undefined]);
  expect(rows.map(searchFor('!fw<5', [], rows).matches)).toEqual([false, undefined, undefined]);
});

it('another selector and a part of a name need no run', () => {
  for (const text of ['cellar', 'statement', 'fw<5 & cellar', 'tag/battery']) expect(needsRun(text)).toBe(false);
  expect(found('0002').names).toEqual(['cellar-0002']);
  expect(found('serial=11').names).toEqual(['cellar-0001']);
});

describe('a word in a selector', () => {
  const rows = [
    { ...row('Freezer-0001', '11'), tags: ['cold'] },
    { ...row('cellar-0001', '12'), tags: ['cold', 'freezer room'] },
    { ...row('freezer-0002', '13'), tags: ['warm'] },
  ];
  const serials = (text: string) => rows.filter(searchFor(text, [], rows).matches).map(({ serial }) => serial);

  it('is a part of a name, a serial number or a tag, as a word alone', () => {
    expect(serials('freezer')).toEqual(['11', '12', '13']);
    expect(serials('freezer & tag/cold')).toEqual(['11', '12']);
    expect(serials('!freez & tag/cold | 13')).toEqual(['13']);
    expect(serials('100% of (zer & tag/warm)')).toEqual(['13']);
  });

  it('with "*" is a whole name or serial number', () => {
    expect(serials('freezer-* & tag/cold')).toEqual([]);
    expect(serials('*zer-* & tag/cold')).toEqual(['11']);
  });

  it('has the same meaning for the run', () => {
    expect(runSelector('freezer & tag/cold')).toBe('(*freezer* | tag=*freezer*) & tag/cold');
    expect(runSelector('!(cellar-* | "a b")')).toBe('!(cellar-* | ("*a b*" | tag="*a b*"))');
    expect(runSelector('battery<20 & zer')).toBe('battery<20 & (*zer* | tag=*zer*)');
    expect(runSelector('a & (')).toBe('a & (');
  });
});

describe('a switch', () => {
  const tags = ['tag/cold', 'tag/warm'];

  it.each([
    ['', 'tag/cold', 'tag/cold'],
    ['free', 'tag/cold', 'free & tag/cold'],
    ['free & tag/cold', 'tag/cold', 'free'],
    ['free & tag/cold', 'tag/warm', 'free & tag/warm'],
    ['tag/cold & free', 'tag/cold', 'free'],
    ['tag/cold', 'tag/cold', ''],
    ['a | b', 'tag/cold', '(a | b) & tag/cold'],
    ['(a | b) & tag/cold', 'tag/cold', '(a | b)'],
    ['tag/cold | b', 'tag/cold', '(tag/cold | b) & tag/cold'],
    ['"a | b"', 'tag/cold', '"a | b" & tag/cold'],
  ])('keeps the text of the search: %j with %s becomes %j', (text, condition, after) => {
    expect(toggled(text, condition, tags)).toBe(after);
  });

  it('is on if all found devices have to meet its condition', () => {
    const texts = ['tag/cold', ' free & tag/cold ', 'tag/cold | free', 'free', 'tag/cold room'];
    expect(texts.map((text) => has(text, 'tag/cold'))).toEqual([true, true, false, false, false]);
  });
});
