/** The files of the package that the program reads: scenarios, templates, pages, the web console. */

import { join } from 'node:path';
import { pathFrom } from '../kernel/program-files.js';

/** Two levels above src/cli/, and also two levels above the bundled files in dist/program/. */
const ROOT = pathFrom(import.meta.url, '../../');

/** @param path from the root of the package, such as `scenarios/` */
export function packagePath(path: string): string {
  return join(ROOT, path);
}

/** The folder with the built console. In a checkout, it does not exist before `npm run build:web`. */
export const WEB_CONSOLE = packagePath('dist/web/');
