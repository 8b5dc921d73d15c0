/**
 * The texts of the project name the component that acts, without words for persons and without phrases that are hard to read.
 */
import { describe, expect, it } from 'vitest';
import { moduleOf, pathsIn, textOf } from './sources.js';

const PHRASES =
  /\b(?:told|tells|somebody|nobody|whoever|everybody|is no|are none|for ever|under way|any more|his|he)\b/gi;

const SELF = 'test/architecture/phrases.test.ts';

/** Texts that contain such a phrase and are accepted, by file. */
const QUOTED: Readonly<Record<string, readonly string[]>> = {
  // A value in the format of events.
  'src/trace/events.ts': ['`told`', "'told'"],
  'src/runner/targets/observer.ts': ["'told'"],
  // The name of a user of the operating system.
  'test/support/postgres/keeper.ts': ["'nobody'"],
};

/** Accepted number of these phrases in a module. Lower a number when you reword some; never raise one. */
const LEFT: Readonly<Record<string, number>> = {};

function phrasesIn(path: string): readonly string[] {
  const quoted = QUOTED[path] ?? [];
  return textOf(path)
    .split('\n')
    .flatMap((line, i) => {
      const text = quoted.reduce((rest, quotation) => rest.replaceAll(quotation, ''), line);
      return [...text.matchAll(PHRASES)].map(([phrase]) => `${path}:${i + 1}: "${phrase}"`);
    });
}

describe('sentences', () => {
  const files = [
    ...[...pathsIn('src', '.ts'), ...pathsIn('src', '.mjs'), ...pathsIn('docs', '.md')],
    ...['test', 'scripts', 'bench'].flatMap((folder) => pathsIn(folder, '.ts')).filter((path) => path !== SELF),
    ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ];

  it('contain none of the rejected phrases', () => {
    const modules = new Map<string, string[]>();
    for (const path of files) {
      const module = moduleOf(path);
      modules.set(module, [...(modules.get(module) ?? []), ...phrasesIn(path)]);
    }
    const tooMany = [...modules].filter(([module, found]) => found.length > (LEFT[module] ?? 0));
    expect(
      tooMany.flatMap(([, found]) => found),
      'reword these sentences: name the component that acts and use the verb of the field (rejects, returns, sends)',
    ).toEqual([]);
  });

  it.each(Object.entries(QUOTED))('%s still contains the texts that are accepted in it', (path, quotations) => {
    expect(quotations.filter((quotation) => !textOf(path).includes(quotation))).toEqual([]);
  });
});
