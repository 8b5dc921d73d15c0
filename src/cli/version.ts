/** The version of the package. */
import { readFileSync } from 'node:fs';

export function version(): string {
  // Two levels up is the package's root from src/cli/ and from dist/cli/ alike.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
