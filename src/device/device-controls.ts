/**
 * Hands on a device (hardware.ts, Bench): what is turned, pressed and cut here reaches the firmware the way it does on a real
 * board, as something that is measured, an input that changes, or a write that fails. Made for one call, and forgotten; what it
 * leaves behind is kept where it belongs, and only by devices that somebody has touched.
 */
import type { Ratio } from '../kernel/ratio.js';
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import { findQuantity, type QuantityAddress } from '../profile/quantities.js';
import type { Series } from './environment/series.js';
import { clicked } from './firmware/button.js';
import type { Firmware } from './firmware/firmware.js';
import type { Bench, ButtonName, Hardware, ModemTrouble, Pulses, Ramp } from './hardware/hardware.js';
import type { Signal } from './modem/signal.js';
import { isDefect } from './modem/trouble.js';

/** What somebody has done to a board, beyond its sensors. */
export interface Tinkering {
  /** Parts per million that the clock is too fast. */
  drift: number;
  /** The button on the board is pressed until then. */
  pressedUntil: Instant;
}

/** The device as its controls see it. */
export interface ControlledDevice
  extends Pick<Hardware, 'type' | 'clock' | 'config' | 'surroundings' | 'modem' | 'battery'> {
  /** The running firmware; undefined while none runs. */
  readonly firmware: Firmware | undefined;
  /** Undefined until the first change. */
  tinkering: Tinkering | undefined;
}

/** Volts of a line that is cut (firmware behaviour, 6: "0-0.1 V when absent"). */
const DEAD_LINE = 0.04;
const LINE = 'backup.line_voltage';
/** Between clicks on one of Push's buttons. */
const CLICK_PAUSE: Millis = seconds(1);

export class DeviceBench implements Bench {
  readonly #device: ControlledDevice;

  constructor(device: ControlledDevice) {
    this.#device = device;
  }

  hold(quantity: string, value: number): void {
    this.#touch(quantity, (address) => this.#device.surroundings.set(address, value));
  }

  ramp(quantity: string, { from, to, over }: Ramp): void {
    this.#touch(quantity, (address) => {
      const { surroundings, clock } = this.#device;
      const shown = from ?? surroundings.value(surroundings.signal(address), clock.wall);
      // From a sensor that does not answer there is no line.
      const begin = Number.isNaN(shown) ? to : shown;
      surroundings.steer(address, { kind: 'ramp', from: begin, to, start: clock.wall, over });
    });
  }

  replay(quantity: string, series: Series): void {
    this.#touch(quantity, (address) => {
      const { surroundings, clock } = this.#device;
      const stepped = this.#counts(address) || this.#watched(address);
      surroundings.steer(address, { kind: 'replay', series, start: clock.wall, stepped });
    });
  }

  free(quantity: string): void {
    this.#touch(quantity, (address) => this.#device.surroundings.free(address, this.#device.clock.wall));
  }

  pulse(quantity: string, { times, every, stays }: Pulses): void {
    this.#touch(quantity, (address) => {
      const { surroundings, clock } = this.#device;
      const train = { start: clock.wall, every, times };
      if (this.#counts(address)) surroundings.give(address, train);
      else if (this.#watched(address)) surroundings.steer(address, { kind: 'blinks', train, stays });
      else throw new Error(`"${quantity}" neither counts pulses nor is it a contact`);
    });
  }

  click(button: ButtonName, times: number): void {
    if (button !== 'int') this.pulse(buttonQuantity(button, 'clicks'), { times, every: CLICK_PAUSE, stays: 0 });
    else if (this.#device.firmware) clicked(this.#device.firmware, times);
  }

  press(button: ButtonName, duration: Millis): void {
    if (button !== 'int') this.pulse(buttonQuantity(button, 'holds'), { times: 1, every: 0, stays: 0 });
    else this.#tinkering.pressedUntil = this.#device.clock.now + duration;
  }

  line(on: boolean): void {
    if (on) this.free(LINE);
    else this.hold(LINE, DEAD_LINE);
  }

  radio(on: boolean): void {
    this.#device.modem.setCoverage(on);
  }

  signal(signal: Signal | undefined): void {
    this.#device.modem.setSignal(signal);
  }

  battery(used: Ratio): void {
    this.#device.battery.set(used);
  }

  batteryVoltage(volts: number): void {
    const { battery } = this.#device;
    let [full, empty] = [0, 1];
    // The voltage only falls; twenty halvings find the share to a millionth.
    for (let halvings = 0; halvings < 20; halvings++) {
      const middle = (full + empty) / 2;
      battery.set(middle);
      if (battery.rest() > volts) full = middle;
      else empty = middle;
    }
  }

  powerSaving(granted: boolean): void {
    this.#device.modem.setPowerSaving(granted);
  }

  modem(trouble: ModemTrouble): void {
    const { modem } = this.#device;
    if (trouble === 'mended') modem.setDefect(undefined);
    else if (isDefect(trouble)) modem.setDefect(trouble);
    else modem.suffer(trouble);
  }

  flash(writesLeft: number): void {
    this.#device.config.wear(writesLeft);
  }

  clock(drift: number): void {
    const { firmware } = this.#device;
    const time = firmware?.exactTime();
    this.#tinkering.drift = drift;
    // What it has gained or lost so far it keeps.
    if (firmware && time !== undefined) firmware.setUnixTime(time);
  }

  skew(by: Millis): void {
    const { firmware } = this.#device;
    if (firmware === undefined) throw new Error('the clock does not run: nothing of it survives a reset');
    // The calendar of the firmware begins in 1970.
    firmware.setUnixTime(Math.max(0, firmware.exactTime() + by / 1000));
  }

  /** Changes a quantity; what was to be measured before is measured before, and inputs that are watched are looked at after. */
  #touch(quantity: string, change: (address: QuantityAddress) => void): void {
    const { firmware, type } = this.#device;
    const address = findQuantity(type.profile, quantity);
    if (address === undefined) throw new Error(`"${quantity}" is not a quantity of ${type.profile.name}`);
    firmware?.application.catchUp();
    change(address);
    firmware?.application.look();
  }

  #counts(address: QuantityAddress): boolean {
    return this.#device.surroundings.signal(address).counter;
  }

  /** Whether the firmware notices at once when this goes on or off. */
  #watched({ sensor, quantity }: QuantityAddress): boolean {
    return this.#device.type.profile.eventLists.some(
      (list) => list.kind === 'edge' && list.sensor === sensor && list.quantity === quantity,
    );
  }

  get #tinkering(): Tinkering {
    this.#device.tinkering ??= { drift: 0, pressedUntil: 0 };
    return this.#device.tinkering;
  }
}

/** Quantity of one of Push's buttons, which it counts in the order X, 1, 2, 3, 4. */
function buttonQuantity(button: Exclude<ButtonName, 'int'>, what: 'clicks' | 'holds'): string {
  return `button.${button === 'x' ? 1 : Number(button) + 1}.${what}`;
}
