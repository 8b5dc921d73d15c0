/** `npm run licences`: writes docs/LICENCES.md, the licences of all packages that are installed with ghostfleet. */
import { writeFileSync } from 'node:fs';
import { licencesPage } from './packages.js';

writeFileSync('docs/LICENCES.md', licencesPage());
