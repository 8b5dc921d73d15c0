/** `npm run build:pages`, a step of the build: writes the files of pages.ts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { PAGES } from './pages.js';

for (const [path, make] of Object.entries(PAGES)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, make());
}
