/** The search of the fleet. */
import { describe, expect, it } from 'vitest';
import type { Row } from '../../web/src/model/fleet.js';
import { needsRun, searchFor } from '../../web/src/model/search.js';

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
