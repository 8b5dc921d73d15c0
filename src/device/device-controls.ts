/**
 * The controls of a device for scenario steps and the console. As on a real board, the firmware notices a change only by its
 * effects, such as another reading, a changed input or a failed write. The controls themselves have no state: lasting changes
 * are stored in the part of the device that they affect.
 */
import type { Ratio } from '../kernel/ratio.js';
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import { describeBadCount, findQuantity, type QuantityAddress } from '../profile/quantities.js';
import type { Series } from './environment/series.js';
import { takeClicks } from './firmware/button.js';
import type { Firmware } from './firmware/firmware.js';
import type { Hardware } from './hardware/hardware.js';
import { isLasting, type LastingFault, type PassingFault } from './modem/faults.js';
import type { Signal } from './modem/signal.js';

export type ModemFault = PassingFault | LastingFault | 'mended';

/** `int` is the button on the board; the others are those of CHESTER Push. */
export type ButtonName = 'int' | 'x' | '1' | '2' | '3' | '4';

interface Ramp {
  readonly from?: number;
  readonly to: number;
  readonly over: Millis;
}

export interface Pulses {
  readonly times: number;
  /** Time from the start of one pulse to the start of the next. */
  readonly every: Millis;
  /** How long a contact stays closed each time; less than `every`. Ignored for counters. */
  readonly stays: Millis;
}

/** Changes to the board itself. */
export interface BoardOverrides {
  /** Parts per million that the clock is too fast. */
  drift: number;
  /** The button on the board is pressed until this time. */
  pressedUntil: Instant;
}

/** The part of a device that its controls need. */
interface ControlledDevice extends Pick<Hardware, 'type' | 'clock' | 'config' | 'environment' | 'modem' | 'battery'> {
  /** The running firmware; undefined while none runs. */
  readonly firmware: Firmware | undefined;
  readonly reboot: (cause: 'power') => void;
  /** Undefined until the first change. */
  boardOverrides: BoardOverrides | undefined;
}

/** Volts of a line that is cut (behaviour B-30). */
const DEAD_LINE = 0.04;
const LINE = 'backup.line_voltage';
/** Time between two clicks on a button of CHESTER Push. */
const CLICK_PAUSE: Millis = seconds(1);

/** A change is not possible on this device, or not now. Other errors of a change are errors of the device itself. */
export class ChangeRefused extends Error {}

/**
 * Changes that scenario steps and the console can make to a device. Quantities have names like `hygrometer.temperature` or
 * `trigger.2.state` (profile/quantities.ts). Every method throws an Error with the reason if the change is not possible.
 */
export class DeviceControls {
  readonly #device: ControlledDevice;
  readonly #change: (action: () => void) => void;

  /** @param change runs the code of each change */
  constructor(device: ControlledDevice, change: (action: () => void) => void) {
    this.#device = device;
    this.#change = change;
  }

  /** Holds a quantity at a value. With NaN, the sensor does not answer. */
  hold(quantity: string, value: number): void {
    this.#checkCounts(quantity, [value]);
    this.#touch(quantity, (address) => this.#device.environment.set(address, this.#reach(address, value)));
  }

  /** Changes a quantity linearly to a value, then holds it. Without `from` it starts at the present value. */
  ramp(quantity: string, { from, to, over }: Ramp): void {
    this.#checkCounts(quantity, [from ?? to, to]);
    this.#touch(quantity, (address) => {
      const { environment, clock } = this.#device;
      const present = environment.value(environment.signal(address), clock.wall);
      const shown = from === undefined ? present : this.#reach(address, from);
      const end = to + this.#ahead(address);
      // A ramp cannot start from a missing value.
      const begin = Number.isNaN(shown) ? end : shown;
      environment.steer(address, { kind: 'ramp', from: begin, to: end, start: clock.wall, over });
    });
  }

  /** Lets a quantity follow a recording from now on, then holds its last value. */
  replay(quantity: string, series: Series): void {
    this.#checkCounts(quantity, series.values);
    this.#touch(quantity, (address) => {
      const { environment, clock } = this.#device;
      const stepped = this.#counts(address) || this.#watched(address);
      // The first row of a meter is not the count of the device: only the later rows are compared with it.
      const first = series.values.find((value) => !Number.isNaN(value)) ?? 0;
      const present = environment.value(environment.signal(address), clock.wall);
      const shift = this.#counts(address) && !Number.isNaN(present) ? present - first : 0;
      environment.steer(address, { kind: 'replay', series, start: clock.wall, stepped, shift });
    });
  }

  /** Lets a quantity follow its model again. A running total continues from its present value. */
  free(quantity: string): void {
    this.#touch(quantity, (address) => this.#device.environment.free(address, this.#device.clock.wall));
  }

  /** Adds pulses to a counter, or closes a contact repeatedly. */
  pulse(quantity: string, { times, every, stays }: Pulses): void {
    this.#touch(quantity, (address) => {
      const { environment, clock } = this.#device;
      const train = { start: clock.wall, every, times };
      if (this.#counts(address)) {
        if (times === 1 || every === 0) this.#running('nothing counts the pulses');
        environment.give(address, train);
      } else if (this.#watched(address)) environment.steer(address, { kind: 'blinks', train, stays });
      else throw new ChangeRefused(`"${quantity}" is neither a counter of pulses nor a contact`);
    });
  }

  /** Clicks a button. Several clicks are one multiple click on the button of the board, and single clicks on other buttons. */
  click(button: ButtonName, times: number): void {
    const firmware = this.#running('nothing notices the button');
    if (button === 'int') this.#change(() => takeClicks(firmware, times));
    else this.pulse(buttonQuantity(button, 'clicks'), { times, every: CLICK_PAUSE, stays: 0 });
  }

  /** Holds a button down. During a boot, the button on the board can erase the settings (shell S-18). */
  press(button: ButtonName, duration: Millis): void {
    if (button !== 'int') this.pulse(this.#heldQuantity(button), { times: 1, every: 0, stays: 0 });
    else {
      this.#change(() => {
        this.#boardOverrides.pressedUntil = this.#device.clock.now + duration;
      });
    }
  }

  /** Cuts the power line (CHESTER-Z switches to its battery), or restores it. */
  line(on: boolean): void {
    if (on) this.free(LINE);
    else this.hold(LINE, DEAD_LINE);
  }

  /** Shields the antenna (false), or removes the shield. */
  radio(on: boolean): void {
    this.#change(() => this.#device.modem.setCoverage(on));
  }

  /** Sets the signal at the antenna; undefined restores the signal of the device's own cell. */
  signal(signal: Signal | undefined): void {
    this.#change(() => this.#device.modem.setSignal(signal));
  }

  /** Whether the power line supplies the device, which then does not use its battery. */
  get isSupplied(): boolean {
    return this.#device.environment.supplied(this.#device.clock.wall);
  }

  /** Replaces the battery by one with this share used, 0 (new) to 1 (empty). */
  battery(used: Ratio): void {
    this.#change(() => this.#device.battery.set(used));
  }

  /** Replaces the battery by one that has this voltage at rest. */
  batteryVoltage(volts: number): void {
    this.#change(() => {
      const { battery } = this.#device;
      let [full, empty] = [0, 1];
      // Bisection, because the voltage falls with use: after twenty halvings the share is exact to a millionth.
      for (let halvings = 0; halvings < 20; halvings++) {
        const middle = (full + empty) / 2;
        battery.set(middle);
        if (battery.rest() > volts) full = middle;
        else empty = middle;
      }
    });
  }

  /** Takes the power away and gives it back: RAM is lost, flash is kept. */
  powerCycle(): void {
    this.#change(() => this.#device.reboot('power'));
  }

  /** Sets whether the network grants power saving mode, from the next attach on. */
  powerSaving(granted: boolean): void {
    this.#change(() => this.#device.modem.setPowerSaving(granted));
  }

  /** Causes a fault of the modem, or repairs it. */
  modem(fault: ModemFault): void {
    this.#change(() => {
      const { modem } = this.#device;
      if (fault === 'mended') modem.setFault(undefined);
      else if (isLasting(fault)) modem.setFault(fault);
      else {
        this.#running('the modem is off');
        modem.suffer(fault);
      }
    });
  }

  /** Lets the next `writesLeft` writes of settings succeed and all later ones fail. With Infinity, every write succeeds. */
  flash(writesLeft: number): void {
    this.#change(() => this.#device.config.wear(writesLeft));
  }

  /** Makes the clock run fast by parts per million; slow if negative. Setting the time does not change the drift. */
  clock(drift: number): void {
    this.#change(() => {
      const { firmware } = this.#device;
      const time = firmware?.readExactTime();
      this.#boardOverrides.drift = drift;
      // The new drift starts from the present time of the clock, including the error that the clock has by now.
      if (firmware && time !== undefined) firmware.setUnixTime(time);
    });
  }

  /** Moves the clock forward, or back if `by` is negative. The next setting of the clock corrects the error. */
  skew(by: Millis): void {
    const firmware = this.#running('the clock does not run');
    // The calendar of the firmware begins in 1970.
    this.#change(() => firmware.moveClock(Math.max(0, firmware.readExactTime() + by / 1000)));
  }

  /** The running firmware. @param otherwise beginning of the message of the Error that is thrown if no firmware runs */
  #running(otherwise: string): Firmware {
    const { firmware } = this.#device;
    if (firmware === undefined) throw new ChangeRefused(`${otherwise}: the device has no power or is restarting`);
    return firmware;
  }

  /** Takes the samples that are due, then changes a quantity, then reads the watched inputs. */
  #touch(quantity: string, change: (address: QuantityAddress) => void): void {
    const { firmware, type } = this.#device;
    const address = findQuantity(type.profile, quantity);
    if (address === undefined) throw new ChangeRefused(`"${quantity}" is not a quantity of ${type.profile.name}`);
    this.#change(() => {
      firmware?.application.catchUp();
      change(address);
      firmware?.application.look();
    });
  }

  /**
   * The value at which the sensor shows `value`. For a counter, it is the total of the input at which the count of the device is
   * `value`; a higher count is set back.
   */
  #reach(address: QuantityAddress, value: number): number {
    if (!this.#counts(address) || Number.isNaN(value)) return value;
    const total = value + this.#ahead(address);
    this.#device.firmware?.measurements.lower(address, Math.floor(value));
    return total;
  }

  /** By how much the total of a counter exceeds its count in the device; 0 for other quantities. */
  #ahead(address: QuantityAddress): number {
    const { environment, clock, firmware } = this.#device;
    if (!this.#counts(address)) return 0;
    if (firmware) return firmware.measurements.ahead(address);
    const total = environment.value(environment.signal(address), clock.wall);
    return Number.isNaN(total) ? 0 : total;
  }

  #checkCounts(quantity: string, values: readonly number[]): void {
    const address = findQuantity(this.#device.type.profile, quantity);
    if (address === undefined || !this.#counts(address)) return;
    const why = describeBadCount(quantity, values);
    if (why !== undefined) throw new ChangeRefused(why);
  }

  #counts(address: QuantityAddress): boolean {
    return this.#device.environment.signal(address).counter;
  }

  /** Whether the firmware notices at once when this quantity switches on or off. */
  #watched({ sensor, quantity }: QuantityAddress): boolean {
    return this.#device.type.profile.eventLists.some(
      (list) => list.kind === 'edge' && list.sensor === sensor && list.quantity === quantity,
    );
  }

  /** The quantity that counts how often a button of Push is held down: `clicks` if the firmware does not report holds. */
  #heldQuantity(button: Exclude<ButtonName, 'int'>): string {
    const holds = findQuantity(this.#device.type.profile, buttonQuantity(button, 'holds'));
    const reported = this.#device.type.profile.eventLists.some(
      (list) => list.kind === 'press' && list.sensor === holds?.sensor && list.types.includes(holds.quantity),
    );
    return buttonQuantity(button, reported ? 'holds' : 'clicks');
  }

  get #boardOverrides(): BoardOverrides {
    this.#device.boardOverrides ??= { drift: 0, pressedUntil: 0 };
    return this.#device.boardOverrides;
  }
}

/** Quantity of a button of CHESTER Push. The buttons X, 1, 2, 3, 4 have the numbers 1 to 5. */
function buttonQuantity(button: Exclude<ButtonName, 'int'>, what: 'clicks' | 'holds'): string {
  return `button.${button === 'x' ? 1 : Number(button) + 1}.${what}`;
}
