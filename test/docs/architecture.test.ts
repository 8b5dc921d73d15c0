/** The tables of "Adding things" in docs/ARCHITECTURE.md. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGE = readFileSync('docs/ARCHITECTURE.md', 'utf8');
const ROWS = new Set([...PAGE.matchAll(/^\| (.+?) \|/gm)].map(([, first = '']) => first));

describe('the rows of ARCHITECTURE.md', () => {
  it('refer only to rows that exist', () => {
    const named = [...PAGE.matchAll(/\brows? "([^"]+)"/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !ROWS.has(name))).toEqual([]);
  });

  it('refer to each other by name, because a new row between them would make a relative reference wrong', () => {
    expect(PAGE.match(/rows? above|next (two )?rows?\b|(first|last|previous) row/g) ?? []).toEqual([]);
  });
});
