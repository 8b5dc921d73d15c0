/**
 * The kinds of faults by their names in scenarios. To add one, write its file and list it here. Faults of datagrams are applied
 * in this order.
 */
import type { Form } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { Instant } from '../../kernel/time.js';
import type { ScheduledFault, Way } from '../../transport/faults/fault.js';
import { describeStep, type StepCall } from '../steps/index.js';
import type { StepScope } from '../steps/step.js';
import { kindForms } from '../values/kind-forms.js';
import { bandwidth } from './bandwidth.js';
import { corruption } from './corruption.js';
import { brownOut, clockDrift, clockSkew, flashFailure, modemFailure, noSignal, signal } from './device.js';
import { duplication } from './duplication.js';
import { jitter } from './jitter.js';
import type { FaultKind, FaultSteps } from './kind.js';
import { latency } from './latency.js';
import { loss } from './loss.js';
import { outage } from './outage.js';
import { reboot } from './reboot.js';
import { reorder } from './reorder.js';
import { apiDelay, apiErrors, serviceDown, serviceRestart, storeUnavailable } from './service.js';
import { stuckSensor } from './stuck-sensor.js';

export const FAULTS = {
  outage,
  loss,
  corruption,
  duplication,
  bandwidth,
  latency,
  jitter,
  reorder,
  reboot,
  'brown-out': brownOut,
  signal,
  'no-signal': noSignal,
  'clock-drift': clockDrift,
  'clock-skew': clockSkew,
  'flash-failure': flashFailure,
  'modem-failure': modemFailure,
  'stuck-sensor': stuckSensor,
  'api-errors': apiErrors,
  'api-delay': apiDelay,
  'store-unavailable': storeUnavailable,
  'service-down': serviceDown,
  'service-restart': serviceRestart,
} as const;

export type FaultName = keyof typeof FAULTS;
// The cast is needed because `Object.keys` returns `string[]`.
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

type OptionsOf<K extends FaultName> = {
  readonly [P in K]: (typeof FAULTS)[P] extends FaultKind<infer O> ? O : never;
}[K];
/** Options of a fault of any kind. */
export type FaultOptions = OptionsOf<FaultName>;
const KINDS: { readonly [K in FaultName]: FaultKind<OptionsOf<K>> } = FAULTS;

/** A fault with its options, as plain data, without its times and its devices. */
export type FaultCall<K extends FaultName = FaultName> = {
  [P in K]: { readonly kind: P; readonly options: OptionsOf<P> };
}[K];

/** The names of the faults of the network. */
export const NETWORK_FAULTS = FAULT_NAMES.filter((name) => FAULTS[name].part === 'network');

/** JSON Schema of the value after the name of each of these faults, for editors. */
export function faultForms(names: readonly FaultName[] = FAULT_NAMES): Readonly<Record<string, Form>> {
  return kindForms(Object.fromEntries(names.map((name) => [name, FAULTS[name]])));
}

/** Reads the options of a fault. @param scope returns the context of the check of a fault of devices */
export function checkFault(
  name: FaultName,
  node: LocatedNode,
  problems: Problems,
  scope: () => StepScope = () => NO_SCOPE,
): FaultCall | undefined {
  const kind = KINDS[name];
  const options = kind.check(node, problems, kind.part === 'device' ? scope() : NO_SCOPE);
  // The cast is safe because the options were read by the kind with this name.
  return options === undefined ? undefined : ({ kind: name, options } as FaultCall);
}

/** Only the checks of faults of devices use a context. */
const NO_SCOPE: StepScope = {
  profiles: [],
  recipients: [],
  readFile: () => {
    throw new Error('no files');
  },
};

/** The kind of a fault; its functions take the options of the fault. */
export function kindOf<K extends FaultName>({ kind }: FaultCall<K>): FaultKind<OptionsOf<K>> {
  return KINDS[kind];
}

/** `loss 10%` */
export function describeFault(call: FaultCall): string {
  return kindOf(call).describe?.(call.options) ?? call.kind;
}

/** `outage, up only` */
export function describeWithWay(call: FaultCall): string {
  const way = wayOf(call);
  return `${describeFault(call)}${way === 'both' ? '' : `, ${way} only`}`;
}

/** `no-signal (radio: off)`: like {@link describeWithWay}, with the step that begins a fault of devices. */
export function describeInDetail(call: FaultCall): string {
  const begin = stepsOfFault(call)?.begin;
  if (begin === undefined) return describeWithWay(call);
  const step = describeStep(begin);
  return step.startsWith(call.kind) ? step : `${call.kind} (${step})`;
}

/** Affected direction, seen from the device. */
export function wayOf(call: FaultCall): Way | 'both' {
  return kindOf(call).datagrams?.way?.(call.options) ?? 'both';
}

/** The steps of a fault of devices; undefined for other faults. */
export function stepsOfFault(call: FaultCall): FaultSteps | undefined {
  return kindOf(call).steps?.(call.options);
}

/** A step of a fault with its time. */
interface TimedStep {
  readonly at: Instant;
  readonly call: StepCall;
}

/**
 * The steps that carry out a fault of devices in one period; none for other faults.
 * @param until null if no step ends the fault
 * @param end end of the scenario
 */
export function timedSteps(
  call: FaultCall,
  { from, until }: { readonly from: Instant; readonly until: Instant | null },
  end: Instant,
): readonly TimedStep[] {
  const steps = stepsOfFault(call);
  if (steps === undefined) return [];
  const { every } = steps;
  const times = every === null ? 1 : Math.ceil((Math.min(until ?? end, end) - from) / every);
  return [
    ...Array.from({ length: times }, (_, i) => ({ at: from + i * (every ?? 0), call: steps.begin })),
    ...(steps.end !== null && until !== null ? [{ at: until, call: steps.end }] : []),
  ];
}

/** Whether a fault happens at one moment, so that it has no duration. */
export function isOnce(call: FaultCall): boolean {
  const steps = stepsOfFault(call);
  return steps !== undefined && steps.end === null && steps.every === null;
}

/** What a fault does to datagrams; undefined if it does nothing to them. */
export function datagramsOf(call: FaultCall): Omit<ScheduledFault, 'from' | 'until' | 'hits'> | undefined {
  const { datagrams } = kindOf(call);
  if (datagrams === undefined) return undefined;
  const { strike, sign, overtakes = false } = datagrams;
  const { options } = call;
  return {
    strike: (verdict, draws, delivery) => strike(options, verdict, draws, delivery),
    sign,
    overtakes,
    way: wayOf(call),
    // A kind that shares its behaviour with another one is applied with it.
    rank: FAULT_NAMES.findIndex((name) => KINDS[name].datagrams?.strike === strike),
  };
}
