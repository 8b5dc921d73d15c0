/** The profiles that come with the package: every file in profiles/, wherever the package is installed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readText } from '../input/text-file.js';
import type { LoadText } from './extend.js';
import type { Profile } from './profile.js';
import { loadProfiles } from './read.js';

// Two levels up is the package's root from src/profile/ and from dist/profile/ alike.
const ROOT = new URL('../../', import.meta.url);

let packaged: ReadonlyMap<string, Profile> | undefined;

/**
 * Reads all packaged profiles, by name. They are read once: the files of an installed package do not change.
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
 * Reads the user's files. What a profile of theirs extends may lie beside it, or among the packaged ones:
 * `extends: common/chester.yaml` works everywhere.
 * @param file the profile that the reading begins with, or its folder with a `/` behind it
 * @returns throws a UsageError for a file that cannot be read
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

/** The text of a packaged profile by its name, and the path that it is known by; undefined when there is none. */
export function packagedSource(name: string): { readonly source: string; readonly path: string } | undefined {
  const path = `profiles/${name}.yaml`;
  const source = /^[a-z0-9-]+$/.test(name) ? readPackaged(path) : undefined;
  return source === undefined ? undefined : { source, path };
}

/** Reads what a packaged profile extends. */
export const packagedFiles: LoadText = (path) => readPackaged(path);

function readPackaged(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, ROOT), 'utf8');
  } catch {
    return undefined;
  }
}
