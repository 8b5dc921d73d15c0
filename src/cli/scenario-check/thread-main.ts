/** The thread that checks scenarios: says when it is loaded, takes requests one after another, and answers each of them. */
import { parentPort } from 'node:worker_threads';
import type { ScenarioCheck, ScenarioNames } from '../../control/scenarios.js';
import { packagedProfiles } from '../../profile/library.js';
import { scenarioSchema } from '../../scenario/parse/schema.js';
import { METRICS } from '../../trace/metrics/index.js';
import { checkText } from './check-text.js';

/** The text of a scenario to check, or null for the names that scenarios can use. */
export type ThreadRequest = string | null;
export type ThreadAnswer = ScenarioCheck | ScenarioNames;

parentPort?.on('message', (request: ThreadRequest) => {
  const answer: ThreadAnswer = request === null ? names() : checkText(request);
  parentPort?.postMessage(answer);
});
parentPort?.postMessage('loaded');

function names(): ScenarioNames {
  return {
    // Copied through JSON to get a tree of plain data: parts of the schema may be one shared object.
    schema: JSON.parse(JSON.stringify(scenarioSchema())),
    profiles: [...packagedProfiles().values()].map(({ name, title }) => ({ name, about: title })),
    metrics: METRICS.map(({ name, about }) => ({ name, about })),
  };
}
