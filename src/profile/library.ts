/** The profiles that come with the package: every file in profiles/, wherever the package is installed. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Profile } from './profile.js';
import { loadProfiles } from './read.js';

// Two levels up is the package's root from src/profile/ and from dist/profile/ alike.
const ROOT = new URL('../../', import.meta.url);

/** Reads all packaged profiles, by name. @throws InputError when one of them is wrong */
export function packagedProfiles(): ReadonlyMap<string, Profile> {
  const files = readdirSync(fileURLToPath(new URL('profiles/', ROOT)))
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  return loadProfiles(
    files.map((file) => `profiles/${file}`),
    readPackaged,
  );
}

function readPackaged(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, ROOT), 'utf8');
  } catch {
    return undefined;
  }
}
