/** Packaged profiles as the build stores them, read and checked: YAML would take a third of `ghostfleet validate`. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { LoadText } from './extend.js';
import { makePlain, type PlainProfile, restoreProfile } from './plain.js';
import type { Profile } from './profile.js';
import { readProfile } from './read.js';

/** A file begins with the SHA-256 of the rest. */
const DIGEST_BYTES = 32;

interface Prepared {
  /** SHA-256 of the files that the profile was read from, by path: the profile itself, and what it extends. */
  readonly sources: ReadonlyMap<string, string>;
  readonly profile: PlainProfile;
}

/**
 * Reads a profile from YAML and returns the content of its prepared file.
 * @param path of the profile; also used in messages
 * @throws InputError with all problems
 */
export function prepareProfile(path: string, load: LoadText): Uint8Array {
  const sources = new Map<string, string>();
  const recorded: LoadText = (file) => {
    const text = load(file);
    if (text !== undefined) sources.set(file, computeDigest(text).toString('hex'));
    return text;
  };
  const profile = makePlain(readProfile(recorded(path) ?? '', path, recorded));
  const content = serialize({ sources, profile } satisfies Prepared);
  return Buffer.concat([computeDigest(content), content]);
}

/**
 * Reads a prepared profile.
 * @param file made by {@link prepareProfile}
 * @param path of the profile
 * @param load loads the files that it was made from
 * @returns undefined if the file is missing, is damaged or has another profile, if one of the loaded files has changed, or if a
 * newer version of Node wrote it
 */
export function readPrepared(file: string, path: string, load: LoadText): Profile | undefined {
  const prepared = readIntact(file);
  if (prepared === undefined || !prepared.sources.has(path)) return undefined;
  const isChanged = [...prepared.sources].some(
    ([source, hash]) => computeDigest(load(source) ?? '').toString('hex') !== hash,
  );
  return isChanged ? undefined : restoreProfile(prepared.profile);
}

function readIntact(file: string): Prepared | undefined {
  try {
    const bytes = readFileSync(file);
    const content = bytes.subarray(DIGEST_BYTES);
    // The type of the content is not checked, because only `prepareProfile` writes files with the right digest.
    return computeDigest(content).equals(bytes.subarray(0, DIGEST_BYTES)) ? deserialize(content) : undefined;
  } catch {
    return undefined;
  }
}

function computeDigest(content: Uint8Array | string): Buffer {
  return createHash('sha256').update(content).digest();
}
