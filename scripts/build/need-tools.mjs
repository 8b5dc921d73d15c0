/** Ends the process with one sentence if the packages that a build needs are not installed. */
import { existsSync } from 'node:fs';

const TOOLS = ['tsc', 'tsx', 'vite', 'esbuild'];

const missing = TOOLS.filter((tool) => !existsSync(`node_modules/${tool}/package.json`));
if (missing.length > 0) {
  console.error(
    `ghostfleet cannot be built, because ${missing.join(', ')} were left out, as with NODE_ENV=production or --omit=dev: ` +
      'run `npm ci --include=dev`',
  );
  process.exit(1);
}
