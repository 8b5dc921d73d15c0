/** The published JSON Schema of scenarios. */
import { Ajv } from 'ajv';
import { packagedProfiles } from '../../../src/profile/library.js';
import { scenarioSchema } from '../../../src/scenario/parse/schema.js';

// Optimising the validation code would take longer than it saves here.
export const ajv = new Ajv({ strict: false, allErrors: false, code: { optimize: false } });
export const published = scenarioSchema({ profiles: packagedProfiles(), others: true });
