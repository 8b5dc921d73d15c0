/** Runs a scenario in virtual time and captures its wire, without the command line and without a report. */
import { runPlan } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import type { Plan } from '../../src/scenario/model/plan.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { Capture } from '../../src/wire/capture.js';
import { DeviceRecorder } from '../../src/wire/recorder.js';

interface CaptureOptions {
  readonly seed?: number;
  readonly transport?: 'memory' | 'udp';
}

/** @param path of the capture @returns the plan of the run */
export async function captureScenario(
  yaml: string,
  path: string,
  { seed, transport = 'memory' }: CaptureOptions = {},
): Promise<Plan> {
  const scenario = parseScenario(yaml, 'captured.yaml', describeDeviceTypes(packagedProfiles()));
  const plan = planScenario(scenario, seed === undefined ? {} : { seed });
  const capture = new Capture(path, { about: plan.scenario, live: false });
  await runPlan(plan, { transport, recorder: new DeviceRecorder(capture) });
  capture.close();
  return plan;
}
