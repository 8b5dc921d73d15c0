/** The files of the web console in the package. */
import { fileURLToPath } from 'node:url';

/** The folder with the built console. In a checkout, it does not exist before `npm run build:web`. */
export const WEB_CONSOLE = fileURLToPath(new URL('../../dist/web/', import.meta.url));
