/** Finds profiles: the packaged ones (each .yaml file in profiles/ of the installed package), and those in a user's files. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orList } from '../input/problems.js';
import { readRegular } from '../input/text-file.js';
import { UsageError } from '../kernel/errors.js';
import { LazyMap } from '../kernel/lazy-map.js';
import { pathFrom } from '../kernel/program-files.js';
import type { LoadText, ReadFiles } from './extend.js';
import { prepareProfile, readPrepared } from './prepared.js';
import type { Profile } from './profile.js';
import { loadProfiles, readProfile } from './read.js';

// The package root is two levels above this file, both in src/profile/ and in dist/program/.
const ROOT = pathFrom(import.meta.url, '../../');
/** Name of the prepared file of a profile. The build puts these files beside the program; the sources have none. */
const makePreparedName = (name: string) => `profiles/${name}.bin`;

let packaged: ReadonlyMap<string, Profile> | undefined;

/**
 * Returns all packaged profiles, by name. A profile is read when it is first used, because most scenarios use one or two. It is
 * then cached: the files of an installed package do not change. The access throws an InputError if the profile is invalid.
 */
export function packagedProfiles(): ReadonlyMap<string, Profile> {
  packaged ??= readPackagedProfiles();
  return packaged;
}

function readPackagedProfiles(): ReadonlyMap<string, Profile> {
  const shared: ReadFiles = new Map();
  return new LazyMap(listPackagedNames(), (name) => {
    const path = findPackagedPath(name);
    return (
      readPrepared(pathFrom(import.meta.url, makePreparedName(name)), path, packagedFiles) ??
      readProfile(packagedFiles(path) ?? '', path, packagedFiles, shared)
    );
  });
}

/** Files that the build puts beside the program, by path: the packaged profiles in a form that is read faster than YAML. */
export function listPrepared(): ReadonlyMap<string, Uint8Array> {
  return new Map(
    listPackagedNames().map((name) => [makePreparedName(name), prepareProfile(findPackagedPath(name), packagedFiles)]),
  );
}

function listPackagedNames(): readonly string[] {
  return readdirSync(join(ROOT, 'profiles'))
    .flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? [])
    .sort();
}

function findPackagedPath(name: string): string {
  return `profiles/${name}.yaml`;
}

/**
 * Returns a function that reads a user's files. A profile may extend a file in its folder or a packaged one, so that `extends:
 * common/chester.yaml` always works.
 * @param file the profile to start from, or its folder with a `/` at the end
 * @param read reads a file of the user. Default: reads files in any folder
 * @returns a function that throws a UsageError for an unreadable file
 */
export function loadUserFiles(file: string, read: (path: string) => string = readRegular): LoadText {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  return (path) => {
    if (existsSync(path)) return read(path);
    return path !== file && path.startsWith(folder) ? readPackaged(`profiles/${path.slice(folder.length)}`) : undefined;
  };
}

/**
 * Reads all profiles in a user's folder, by name; empty if the folder does not exist.
 * @param read reads a file; its errors are thrown unchanged
 * @throws InputError if a profile is invalid
 */
export function readProfilesIn(folder: string, read: (path: string) => string): ReadonlyMap<string, Profile> {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.yaml')) : [];
  const paths = files.sort().map((file) => `${folder}/${file}`);
  return loadProfiles(paths, loadUserFiles(`${folder}/`, read));
}

/**
 * A packaged profile, or the profile of a file.
 * @param firmware version; default: the newest
 * @throws UsageError for an unknown name or version; the message lists the packaged profiles, or the versions of the profile
 */
export function profileNamed(name: string, firmware?: string): Profile {
  return inVersion(findNewest(name), firmware);
}

/** The profile of another firmware version; without a version, the given profile. @throws UsageError that lists the versions */
export function inVersion(profile: Profile, firmware: string | undefined): Profile {
  const found = firmware === undefined ? profile : profile.firmware.with(firmware);
  if (found) return found;
  const versions = orList(profile.firmware.names);
  throw new UsageError('unknown-firmware', `unknown firmware version "${firmware}" of "${profile.name}": ${versions}`);
}

function findNewest(name: string): Profile {
  if (name.endsWith('.yaml')) return readProfile(readRegular(name), name, loadUserFiles(name));
  const profiles = packagedProfiles();
  const profile = profiles.get(name);
  if (profile) return profile;
  throw new UsageError('unknown-profile', `unknown profile "${name}"; profiles are ${[...profiles.keys()].join(', ')}`);
}

/** The text of a packaged profile, and its path in messages; undefined without a profile of this name. */
export function readPackagedSource(name: string): { readonly source: string; readonly path: string } | undefined {
  const path = findPackagedPath(name);
  const source = /^[a-z0-9-]+$/.test(name) ? readPackaged(path) : undefined;
  return source === undefined ? undefined : { source, path };
}

/** Reads a file of the package by its path in it, such as `profiles/common/chester.yaml`. */
export const packagedFiles: LoadText = (path) => readPackaged(path);

function readPackaged(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}
