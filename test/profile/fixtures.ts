/** Packaged profiles with changes, and the problems that reading them finds. */
import { readFileSync } from 'node:fs';
import { InputError } from '../../src/input/problems.js';
import type { ReadFiles } from '../../src/profile/extend.js';
import type { Profile } from '../../src/profile/profile.js';
import { readProfile } from '../../src/profile/read.js';

const packaged = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

export const FILES: Readonly<Record<string, string>> = {
  'profiles/clime.yaml': packaged('profiles/clime.yaml'),
  'profiles/control.yaml': packaged('profiles/control.yaml'),
  'profiles/current.yaml': packaged('profiles/current.yaml'),
  'profiles/meteo.yaml': packaged('profiles/meteo.yaml'),
  'profiles/motion.yaml': packaged('profiles/motion.yaml'),
  'profiles/push.yaml': packaged('profiles/push.yaml'),
  'profiles/range.yaml': packaged('profiles/range.yaml'),
  'profiles/common/chester.yaml': packaged('profiles/common/chester.yaml'),
};

export interface Changes {
  readonly file?: string;
  /** Replacements: a text of the file, and the text to use in its place. */
  readonly change?: readonly (readonly [from: string, to: string])[];
  readonly others?: Readonly<Record<string, string>>;
}

/** Reads a packaged profile with some of its text changed. */
export function read({ file = 'profiles/clime.yaml', change = [], others = {} }: Changes = {}): Profile {
  const files = { ...FILES, ...others };
  const known = Object.keys(others).length === 0 ? unchanged : undefined;
  return readProfile(changed(files[file] ?? '', change), file, (path) => files[path], known);
}

/** Files that the packaged profiles extend, read once. */
export const unchanged: ReadFiles = new Map();

export function changed(source: string, change: readonly (readonly [string, string])[]): string {
  return change.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the profile has no ${from}`);
    return text.replace(from, () => to);
  }, source);
}

export function problemsOf(
  changes: Changes,
): readonly { line: number; column: number; file: string; message: string }[] {
  try {
    read(changes);
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
  return [];
}
