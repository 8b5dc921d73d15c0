/** Powers up the devices of a plan and carries out its steps at their times, then waits until no exchange is open. */

import type { DrivenClock } from '../../kernel/clock.js';
import { ClockHold } from '../../kernel/clock-hold.js';
import { EndingClock } from '../../kernel/ending-clock.js';
import type { GhostfleetError } from '../../kernel/errors.js';
import { messageOf } from '../../kernel/errors.js';
import { type Instant, seconds, sinceStart } from '../../kernel/time.js';
import type { Evidence } from '../../scenario/expect/evaluate.js';
import type { Plan, PlannedAction } from '../../scenario/model/plan.js';
import { describeStep, queuedBy, runStep } from '../../scenario/steps/index.js';
import type { DeviceHandle } from '../../scenario/world.js';
import type { Trace } from '../../trace/events.js';
import type { Loads } from '../load/loads.js';
import { watchExpectations } from './early-end.js';
import type { FleetDevice } from './fleet-device.js';
import type { LiveFaults } from './live-faults.js';
import { NotAtRest } from './not-at-rest.js';
import type { RunWorld } from './run-world.js';
import { Waits } from './waits.js';

/** Time between two checks whether all devices are at rest. */
const REST_CHECK = seconds(1);

/** Everything that takes part in a run. */
export interface RunFixture {
  readonly plan: Plan;
  /** In the order of the plan. */
  readonly handles: readonly FleetDevice[];
  readonly world: RunWorld;
  readonly trace: Trace;
  /** The results so far, for steps that wait for a condition and for expectations that end the run. */
  readonly evidence: () => Evidence;
  /** Called when a wait of the plan is over, with its index. */
  readonly waited: (index: number, at: Instant) => void;
  /** Faults that users inject and lift. */
  readonly live: Pick<LiveFaults, 'begin' | 'skips'>;
  /**
   * Whether all parts of the run are at rest; called at each check after the end of the scenario. Default: returns `own`,
   * because the run is not divided.
   * @param own whether this part is at rest
   */
  readonly atRest?: ((own: boolean) => Promise<boolean>) | undefined;
  /** Starts the loads of the plan. */
  readonly startLoads: () => Pick<Loads, 'open' | 'areThinking' | 'close'>;
}

/**
 * Lets the time of the plan pass.
 * @throws NotAtRest if devices, steps or loads do not come to rest; if the clock is stopped, the reason that was passed to
 * `clock.stop`
 */
export async function runSchedule(fixture: RunFixture, clock: DrivenClock): Promise<void> {
  const { plan, handles, trace } = fixture;
  // `EndingClock` cancels pending alarms at the end. Otherwise they would keep the process alive after an interrupted run in
  // real time.
  const agenda = new EndingClock(clock);
  plan.devices.forEach((planned, index) => {
    agenda.after(sinceStart(planned.bootAt), 'the first power-up of a device', () => handles[index]?.device.powerOn());
  });
  const steps = new Set<StepInProgress>();
  const schedule = (action: PlannedAction, begin: Instant) => scheduleAction(action, begin, fixture, agenda, steps);
  for (const action of plan.actions) if (action.wait === undefined) schedule(action, 0);
  fixture.live.begin((action) => schedule(action, 0));
  const fail = (reason: GhostfleetError) => clock.stop(reason);
  const waits = new Waits(plan, () => fixture.evidence().metrics, agenda, { schedule, over: fixture.waited, fail });
  watchExpectations(plan.expectations, fixture.evidence, agenda, fail);
  const loads = fixture.startLoads();
  try {
    await clock.runUntil(plan.duration);
    waits.end();
    trace.emit({ kind: 'world.closing', at: clock.now });
    for (const { device } of handles) device.close();
    const others = () => [...[...steps].map(({ step }) => `the step "${step}"`), ...loads.open];
    await settle(fixture, others, () => loads.areThinking, clock);
  } finally {
    agenda.end();
    for (const { giveUp } of steps) giveUp();
    loads.close();
  }
}

interface StepInProgress {
  readonly step: string;
  /** Records that the step is not done for the rest of its devices. */
  readonly giveUp: () => void;
}

/**
 * Schedules a step. Virtual time stands still during its requests. They are sent for one device after the other, so that equal
 * runs send them in the same order.
 */
function scheduleAction(
  action: PlannedAction,
  begin: Instant,
  { world, handles, trace, live }: RunFixture,
  agenda: EndingClock,
  open: Set<StepInProgress>,
): void {
  const step = describeStep(action);
  const queues = queuedBy(action.step);
  const record = ({ serial }: DeviceHandle, note: string) => {
    trace.emit({ kind: 'step', at: agenda.now, serial, step, ok: note === '', note });
    if (note !== '' && queues !== undefined)
      trace.emit({ kind: 'downlink.rejected', at: agenda.now, serial, type: queues });
  };
  agenda.after(Math.max(0, begin + action.at - agenda.now), 'a step of the scenario', () => {
    if (live.skips(action)) return;
    const left = new Set(action.devices.flatMap((index) => handles[index] ?? []));
    const giveUp = () => {
      for (const handle of left) record(handle, 'the run was over');
    };
    const entry = { step, giveUp };
    open.add(entry);
    const hold = new ClockHold(agenda, `the step "${step}"`);
    const held = world.withHold(hold);
    const carryOut = async () => {
      for (const handle of left) {
        const note = await runStep(held, handle, action).then(
          () => '',
          (error: unknown) => messageOf(error),
        );
        // At the end, `giveUp` has recorded this device and the rest.
        if (agenda.ended) return;
        left.delete(handle);
        record(handle, note);
      }
    };
    void carryOut().finally(() => {
      open.delete(entry);
      hold.end();
    });
  });
}

/**
 * Waits until no exchange, step or load request is open, and for chains of requests that can go on meanwhile.
 * @throws NotAtRest with what is still busy; a chain in its think time is not
 */
async function settle(
  { handles, plan, atRest = async (own) => own }: RunFixture,
  others: () => readonly string[],
  areThinking: () => boolean,
  clock: DrivenClock,
): Promise<void> {
  const deadline = plan.duration + plan.settle;
  for (;;) {
    const busy = handles.flatMap(({ name, device: { busyWith } }) => {
      return busyWith === undefined ? [] : [`${name} with ${busyWith}`];
    });
    busy.push(...others());
    if (await atRest(busy.length === 0 && !areThinking())) return;
    if (clock.now >= deadline) {
      if (busy.length === 0) return;
      throw new NotAtRest(plan, busy);
    }
    await clock.runUntil(Math.min(deadline, clock.now + REST_CHECK));
  }
}
