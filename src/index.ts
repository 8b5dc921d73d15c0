/** ghostfleet as a library: scenarios, the cloud service, a client of its API. docs/api/ghostfleet.api.md lists all exports. */
import { type RunOptions, runPlan } from './library/scenario.js';
import type { RunResult } from './report/result.js';
import type { Plan } from './scenario/model/plan.js';

export { AccountClient } from './client/account-client.js';
export type { ClientOptions, Gate, HttpOptions } from './client/client.js';
export { ApiError, ConnectionError, DeviceCloudClient } from './client/client.js';
export { SpaceClient } from './client/space-client.js';
export type * from './client/types.js';
export type { DownlinkCourse, ExplainedCause, ExplainedEntry, Explanation } from './explain/explanation.js';
export { InputError, type Problem } from './input/problems.js';
export { type ExitCode, GhostfleetError, UsageError } from './kernel/errors.js';
export type { Log } from './kernel/log.js';
export { type CapacityOptions, capacity } from './library/capacity.js';
export {
  type DeviceOptions,
  type FleetOptions,
  type ShellAnswer,
  startDevice,
  startFleet,
  VirtualDevice,
  type VirtualFleet,
} from './library/device.js';
export { explain } from './library/explain.js';
export {
  type DefineOptions,
  defineScenario,
  type FileFormat,
  type ReadOptions,
  type RunOptions,
  readScenario,
  runScenario,
  type ScenarioRunOptions,
  writeReports,
} from './library/scenario.js';
export { type Service, type ServiceAddress, type ServiceOptions, startService } from './library/service.js';
export { type Duration, type UntilOptions, VirtualTime, type VirtualTimeOptions, virtualTime } from './library/time.js';
export { type WhatIfOptions, whatIf } from './library/what-if.js';
export { packagedProfiles } from './profile/library.js';
export type { Profile } from './profile/profile.js';
export type {
  CapacityResult,
  Level,
  LevelExpectation,
  LevelLatency,
  LevelRun,
  Throughput,
} from './report/capacity/result.js';
export type { ChangedDownlink, ChangedExpectation, WhatIfAnswer } from './report/explanation/what-if.js';
export type { ReportFormat } from './report/renderers/index.js';
export type { ExpectationResult, GeneratorReport, PartResult, RunResult } from './report/result.js';
export type { RemoteCloud } from './runner/targets/remote-api.js';
export type { Plan } from './scenario/model/plan.js';
export type {
  FaultDefinition,
  GroupDefinition,
  LoadDefinition,
  ScenarioDefinition,
  SetupDefinition,
  StepDefinition,
} from './scenario/parse/define.js';
export type { DeviceState } from './scenario/selector/device.js';

/**
 * Runs a plan: by default in virtual time against an embedded cloud in memory. Resolves with the result even if an expectation
 * failed: see `passed`, `failure` and `expectations`.
 * @throws InputError with all invalid options
 * @throws UsageError if the world cannot be built, for example because the database is not new
 */
export const run: (plan: Plan, options?: RunOptions) => Promise<RunResult> = runPlan;
