/**
 * ghostfleet as a library: the client of the public API, the embedded service, and scenarios that can be run from a test.
 */
export { ApiError, ConnectionError, DeviceCloudClient } from './client/client.js';
export { type Service, type ServiceOptions, startService } from './cloud/service.js';
export { InputError } from './input/problems.js';
export { GhostfleetError, UsageError } from './kernel/errors.js';
export { seededRandom } from './kernel/random.js';
export { RealClock } from './kernel/real-clock.js';
export { VirtualClock } from './kernel/virtual-clock.js';
export { packagedProfiles } from './profile/library.js';
export type { RunResult } from './report/result.js';
export { deviceTypes } from './runner/flash-settings.js';
export { type DefineOptions, defineScenario, runPlan as run } from './runner/library.js';
export type { RunOptions } from './runner/run.js';
export type { Plan } from './scenario/model/plan.js';
export type {
  FaultDefinition,
  GroupDefinition,
  LoadDefinition,
  ScenarioDefinition,
  SetupDefinition,
  StepDefinition,
} from './scenario/parse/define.js';
export { parseScenario } from './scenario/parse/scenario.js';
export { planScenario } from './scenario/plan/plan-scenario.js';
