/** The version of the package. */
import { readFileSync } from 'node:fs';

export function readVersion(): string {
  // The root of the package is two levels above src/cli/, and also two levels above the bundled files in dist/program/.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
