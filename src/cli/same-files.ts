/** Refuses outputs without a name or with that of a stream, and options that name the same file: one would take the place of another. */
import { existsSync } from 'node:fs';
import { UsageError } from '../kernel/errors.js';
import { findRealPath, isDirectory, isSpecial } from '../kernel/write-files.js';

/** The options that name what commands write. */
const WRITTEN = ['out', 'markdown', 'html', 'capture', 'names', 'db', 'new-key-file'].map((name) => ({
  name,
  title: `--${name}`,
}));
/** The options and words that name a file that commands read. */
const READ = [
  { name: 'file', title: '<file>' },
  { name: 'recording', title: '<recording>' },
  { name: 'secrets-key-file', title: '--secrets-key-file' },
];

/** @param values by the names of options and words @throws UsageError that names the options */
export function needDifferentFiles(values: Readonly<Record<string, unknown>>): void {
  const findFiles = (options: typeof WRITTEN) =>
    options.flatMap(({ name, title }) => {
      const path = values[name];
      return typeof path === 'string' && !isSpecial(path) ? { title, path, real: findRealPath(path) } : [];
    });
  // A packaged scenario may have the name of a folder, or of a new one.
  const read = findFiles(READ).filter(({ path }) => existsSync(path) && !isDirectory(path));
  // The name of a database is checked where it is opened: the library and the environment name one, too.
  const nameless = WRITTEN.filter(({ name }) => name !== 'db').flatMap(({ name, title }) => {
    if (values[name] === '') return [`${title} is empty`];
    return values[name] === '-' ? [`${title} "-" does not mean the standard output: choose a name`] : [];
  });
  if (nameless.length > 0) throw new UsageError('bad-flags', nameless.join('\n'));
  const written = findFiles(WRITTEN);
  const wrong = written.flatMap(({ title, path, real }, index) =>
    [...written.slice(index + 1), ...read]
      .filter((other) => other.real === real)
      .map((other) => `${title} and ${other.title} name the same file "${path}"`),
  );
  if (wrong.length > 0) throw new UsageError('bad-flags', wrong.join('\n'));
}
