/** The pages that lead through the code: the files that they name, and the tables of "Adding things". */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGE = readFileSync('docs/ARCHITECTURE.md', 'utf8');
const ROWS = new Set([...PAGE.matchAll(/^\| (.+?) \|/gm)].map(([, first = '']) => first));

describe('the rows of ARCHITECTURE.md', () => {
  it('refer only to rows that exist', () => {
    const named = [...PAGE.matchAll(/\brows? "([^"]+)"/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !ROWS.has(name))).toEqual([]);
  });

  it('refer to each other by name, because a new row between them would make a relative reference wrong', () => {
    expect(PAGE.match(/rows? above|next (two )?rows?\b|(first|last|previous) row/g) ?? []).toEqual([]);
  });
});

describe.each(['ARCHITECTURE', 'DOWNLINK'])('the story of %s.md', (name) => {
  const [story = ''] = readFileSync(`docs/${name}.md`, 'utf8').split('## Adding things');

  it('names only files and folders of src that exist', () => {
    const named = [...story.matchAll(/`([a-z]+\/[\w/-]+(?:\.ts|\/))`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !['src/', ''].some((root) => existsSync(`${root}${path}`)))).toEqual([]);
  });

  it('shows packets of the golden dialogue as they are', () => {
    const golden = readFileSync('test/golden/clime.txt', 'utf8');
    const shown = story.split('\n').filter((line) => /^ *\d:\d\d:\d\d\.\d{3} /.test(line));
    expect(shown.filter((line) => !golden.includes(line.trim()))).toEqual([]);
  });
});
