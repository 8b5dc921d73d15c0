/** Faults of devices that consist of a step that begins them and, except a jump of the clock, a step that ends them. */
import { type Check, describeKey, oneOf, record, refine } from '../../input/checks.js';
import type { Millis } from '../../kernel/time.js';
import { signal as shownSignal } from '../steps/antenna.js';
import { ABOUT_DRIFT, drift, skew } from '../steps/clock.js';
import type { StepCall } from '../steps/index.js';
import { noOptions } from '../values/no-options.js';
import type { DeviceFaultKind } from './kind.js';

/** A lasting fault without options. */
function lasting(about: string, example: string, begin: StepCall, end: StepCall): DeviceFaultKind<null> {
  return { part: 'device', about, example, check: noOptions, steps: () => ({ begin, end, every: null }) };
}

export const brownOut = lasting(
  'the battery is too weak for the transmitter; when the fault ends, the device gets a new one',
  'brown-out:',
  { step: 'battery', options: { kind: 'voltage', volts: 3 } },
  { step: 'battery', options: { kind: 'new' } },
);

export const noSignal = lasting(
  'the device has no network at all',
  'no-signal:',
  { step: 'radio', options: 'off' },
  { step: 'radio', options: 'on' },
);

export const flashFailure = lasting(
  'settings can no longer be saved',
  'flash-failure:',
  { step: 'flash', options: 0 },
  { step: 'flash', options: null },
);

type Checked<C> = C extends Check<infer O> ? O : never;

export const signal: DeviceFaultKind<Checked<typeof shownSignal>> = {
  part: 'device',
  about: 'sets the signal of the device; a weak one slows attaching and loses datagrams',
  example: 'signal: { rsrp: -121 }',
  check: shownSignal,
  steps: (options) => ({
    begin: { step: 'antenna', options },
    end: { step: 'antenna', options: 'free' },
    every: null,
  }),
};

/** The option is the drift in parts per million. */
export const clockDrift: DeviceFaultKind<number> = {
  part: 'device',
  about: 'the device clock runs fast (negative: slow); setting the clock corrects the time, but not the drift',
  example: 'clock-drift: { drift: 120ppm }',
  check: refine(
    record('clock-drift', { drift: describeKey(ABOUT_DRIFT, '120ppm', drift) }),
    (options) => options.drift,
  ),
  steps: (ppm) => ({
    begin: { step: 'clock', options: { drift: ppm, skew: null } },
    end: { step: 'clock', options: { drift: 0, skew: null } },
    every: null,
  }),
};

/** Has no step that ends it: only a session, a timestamp or a shell command corrects the clock of a device. */
export const clockSkew: DeviceFaultKind<Millis> = {
  part: 'device',
  about: 'the device clock jumps ahead (negative: back) and stays wrong until it is set',
  example: 'clock-skew: 2h',
  check: skew,
  steps: (by) => ({ begin: { step: 'clock', options: { drift: null, skew: by } }, end: null, every: null }),
};

export const modemFailure: DeviceFaultKind<'mute' | 'no-sim' | 'no-socket'> = {
  part: 'device',
  about: 'the modem does not respond (mute), finds no SIM, or cannot open a socket',
  example: 'modem-failure: no-sim',
  check: oneOf(['mute', 'no-sim', 'no-socket']),
  steps: (options) => ({
    begin: { step: 'modem', options },
    end: { step: 'modem', options: 'mended' },
    every: null,
  }),
};
