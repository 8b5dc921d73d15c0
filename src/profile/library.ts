/** The packaged profiles: every file in profiles/ of the installed package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readText } from '../input/text-file.js';
import type { LoadText } from './extend.js';
import type { Profile } from './profile.js';
import { loadProfiles } from './read.js';

// The package root is two levels above this file, both in src/profile/ and in dist/profile/.
const ROOT = new URL('../../', import.meta.url);

let packaged: ReadonlyMap<string, Profile> | undefined;

/**
 * Returns all packaged profiles, by name. They are read once and cached: the files of an installed package do not change.
 * @throws InputError if a profile is invalid
 */
export function packagedProfiles(): ReadonlyMap<string, Profile> {
  packaged ??= readPackagedProfiles();
  return packaged;
}

function readPackagedProfiles(): ReadonlyMap<string, Profile> {
  const files = readdirSync(fileURLToPath(new URL('profiles/', ROOT)))
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  return loadProfiles(
    files.map((file) => `profiles/${file}`),
    packagedFiles,
  );
}

/**
 * Returns a function that reads a user's files. A profile may extend a file in its folder or a packaged one, so that
 * `extends: common/chester.yaml` always works.
 * @param file the profile to start from, or its folder with a `/` at the end
 * @returns a function that throws a UsageError for an unreadable file
 */
export function userFiles(file: string): LoadText {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  return (path) => {
    if (existsSync(path)) return readText(path);
    return path !== file && path.startsWith(folder) ? readPackaged(`profiles/${path.slice(folder.length)}`) : undefined;
  };
}

/** Reads all profiles in a user's folder, by name; empty if the folder does not exist. @throws InputError if one is invalid */
export function profilesIn(folder: string): ReadonlyMap<string, Profile> {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.yaml')) : [];
  const paths = files.sort().map((file) => `${folder}/${file}`);
  return loadProfiles(paths, (path) => userFiles(`${folder}/`)(path));
}

/** The text of a packaged profile, and its path in messages; undefined without a profile of this name. */
export function packagedSource(name: string): { readonly source: string; readonly path: string } | undefined {
  const path = `profiles/${name}.yaml`;
  const source = /^[a-z0-9-]+$/.test(name) ? readPackaged(path) : undefined;
  return source === undefined ? undefined : { source, path };
}

/** Reads a file that a packaged profile extends. */
export const packagedFiles: LoadText = (path) => readPackaged(path);

function readPackaged(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, ROOT), 'utf8');
  } catch {
    return undefined;
  }
}
