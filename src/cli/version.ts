/** What package.json says about the program. */
import { readFileSync } from 'node:fs';

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

/** The root of the package is two levels above src/cli/, and also two levels above the bundled files in dist/program/. */
function readManifest(): Manifest {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}
