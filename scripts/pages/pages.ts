/** The files that are made from others, and that are in the package but not in the repository. */
import { packagedProfiles } from '../../src/profile/library.js';
import { makeProfileSchema } from '../../src/profile/schema.js';
import { scenarioSchema } from '../../src/scenario/parse/schema.js';
import { licencesPage } from '../licences/packages.js';
import { makeCoveragePage } from './api-coverage.js';

/** The text of each file, by its path. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'docs/API-COVERAGE.md': makeCoveragePage,
  'docs/LICENCES.md': licencesPage,
  'schemas/profile.schema.json': () => formatSchema(makeProfileSchema()),
  'schemas/scenario.schema.json': () => formatSchema(scenarioSchema({ profiles: packagedProfiles(), others: true })),
};

/** On one line, because editors read it: with a line for each value, the two schemas are 1 MB larger. */
function formatSchema(schema: unknown): string {
  return `${JSON.stringify(schema)}\n`;
}
