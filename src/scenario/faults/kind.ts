/**
 * The interface of the kinds of faults. A kind has one file in this folder, or shares it with small siblings, and is listed in
 * index.ts. Its behaviour is a pure function over a datagram or a request, or the steps that carry it out: the transport, the
 * cloud of the run and the runner only decide when it applies.
 */
import type { Draws } from '../../kernel/random.js';
import { type Millis, seconds } from '../../kernel/time.js';
import type { DatagramSign } from '../../trace/events.js';
import type { Delivery, Verdict, Way } from '../../transport/faults/fault.js';
import type { StepCall } from '../steps/index.js';
import type { StepCheck } from '../steps/step.js';

/** `O`: the options of the kind, as plain data for a plan. */
export interface FaultKind<O> {
  /** What the fault affects. A selector limits the faults of the network and of devices, but not those of the cloud. */
  readonly part: 'network' | 'device' | 'service';
  /** One line for `ghostfleet list faults`. */
  readonly about: string;
  /** An example, as in a scenario file. */
  readonly example: string;
  /** Reads the value after the name of the kind. */
  readonly check: StepCheck<O>;
  /** The fault with its options: `loss 10%`. Default: its name. */
  readonly describe?: (options: O) => string;
  readonly datagrams?: DatagramBehaviour<O>;
  readonly service?: ServiceBehaviour<O>;
  readonly steps?: (options: O) => FaultSteps;
  /**
   * How the fault affects exchanges between devices and cloud, for explanations. Without it, or if it returns undefined, the
   * fault is never a cause. The effect of a fault of devices follows from its steps (runner/situation-steps.ts).
   */
  readonly effect?: (options: O) => FaultEffect | undefined;
  /** Set if the fault is never the usual state of a network, not even if it begins with the run. */
  readonly isNeverUsual?: true;
  /** Set if the fault can be a key of `network`. */
  readonly isNetworkKey?: true;
  /** An option that sets the duration of the fault. */
  readonly duration?: { readonly option: string; readonly of: (options: O) => Millis | null };
}

/** `blocks`: no exchange succeeds during the fault. `hinders`: exchanges fail by chance, or take longer. */
type FaultEffect = 'blocks' | 'hinders';

/** A fault of the network: the transport applies it to each datagram of its devices. */
export interface NetworkFaultKind<O> extends FaultKind<O> {
  readonly part: 'network';
  readonly datagrams: DatagramBehaviour<O>;
  readonly effect: (options: O) => FaultEffect | undefined;
}

/** A fault of devices: steps, which are executed and counted like those of the scenario. */
export interface DeviceFaultKind<O> extends FaultKind<O> {
  readonly part: 'device';
  readonly steps: (options: O) => FaultSteps;
}

/** A fault of the embedded cloud. */
export interface ServiceFaultKind<O> extends FaultKind<O> {
  readonly part: 'service';
  readonly service: ServiceBehaviour<O>;
}

export interface DatagramBehaviour<O> {
  /** Applies the fault to one datagram; returns true if that is an event for the trace. */
  readonly strike: (options: O, verdict: Verdict, draws: Draws, delivery: Delivery) => boolean;
  /** Name in `net.fault` events; null if the fault causes no events, because it is the normal state of a network. */
  readonly sign: DatagramSign | null;
  /** Set if later datagrams may overtake the one that the fault delays. */
  readonly overtakes?: true;
  /** Affected direction, seen from the device. Default: both */
  readonly way?: (options: O) => Way | 'both';
}

export interface ServiceBehaviour<O> {
  /** The HTTP status with which to reject an API request; undefined if the request is processed normally. */
  readonly request?: (options: O, draws: Draws) => number | undefined;
  /** Additional delay of an API request. */
  readonly delay?: (options: O) => Millis;
  /** Whether the store fails for this use. */
  readonly stops?: (options: O, use: StoreUse) => boolean;
  /** Set for a fault during which the process of the service is down. */
  readonly away?: true;
}

export type StoreUse = 'read' | 'write';

/** The steps of a fault of devices, carried out for each of its devices. */
export interface FaultSteps {
  readonly begin: StepCall;
  /** The step that ends the fault; null if no step ends it. */
  readonly end: StepCall | null;
  /** Interval at which the fault repeats; null if it does not repeat. */
  readonly every: Millis | null;
}

/** From this share of lost datagrams on, hardly any exchange succeeds. */
export const HOPELESS = 0.95;
/**
 * From this delay on, a fault hinders exchanges: a device waits 5 s for an answer, and a fault in both directions delays the
 * exchange twice.
 */
export const LATE: Millis = seconds(2);
