/** What package.json says about the program. */
import { readFileSync } from 'node:fs';
import { packagePath } from './package-files.js';

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

export function readVersion(): string {
  return readManifest().version;
}

/** The versions of Node that the program supports, as a range. */
export function readSupportedNode(): string {
  return readManifest().engines.node;
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
}
