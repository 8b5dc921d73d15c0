/** The version of the package. */
import { readFileSync } from 'node:fs';

export function version(): string {
  // The package's root is two levels up, from src/cli/ as well as from dist/cli/.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
