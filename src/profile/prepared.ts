/**
 * Packaged profiles as the build of the program has read them. Reading one from YAML takes a third of the time of `ghostfleet
 * validate`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { LoadText } from './extend.js';
import { type PlainProfile, plainProfile, profileFrom } from './plain.js';
import type { Profile } from './profile.js';
import { readProfile } from './read.js';

interface Prepared {
  /** SHA-256 of the files that the profile was read from, by path: the profile itself, and what it extends. */
  readonly sources: ReadonlyMap<string, string>;
  readonly profile: PlainProfile;
}

/**
 * Reads a profile from YAML and returns the content of a file with it.
 * @param path of the profile, and in messages
 * @throws InputError with all problems
 */
export function prepareProfile(path: string, load: LoadText): Uint8Array {
  const sources = new Map<string, string>();
  const recorded: LoadText = (file) => {
    const text = load(file);
    if (text !== undefined) sources.set(file, hashOf(text));
    return text;
  };
  const profile = plainProfile(readProfile(recorded(path) ?? '', path, recorded));
  return serialize({ sources, profile } satisfies Prepared);
}

/**
 * Reads a prepared profile.
 * @param file made by {@link prepareProfile}
 * @param load loads the files that it was made from
 * @returns undefined without the file, if one of those files has changed, or if a newer version of Node has made it
 */
export function preparedProfile(file: URL, load: LoadText): Profile | undefined {
  let prepared: Prepared;
  try {
    prepared = deserialize(readFileSync(file));
  } catch {
    return undefined;
  }
  const isChanged = [...prepared.sources].some(([path, hash]) => hashOf(load(path) ?? '') !== hash);
  return isChanged ? undefined : profileFrom(prepared.profile);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
