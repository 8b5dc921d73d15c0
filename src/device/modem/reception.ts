/**
 * What a modem hears at the place where it is, and what that costs it. The place is set from outside; most devices stay where
 * they belong, and carry nothing of this.
 */
import { chance, type Draws, integerBetween } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { LteEvaluation } from '../shell/host.js';
import { ModemAnomalies } from './anomalies.js';
import { attachFactor, evaluate, hasService, lossRatio, type Signal } from './signal.js';
import { ATTACH } from './timing.js';

export abstract class Reception {
  protected readonly random: Draws;
  protected anomalies: ModemAnomalies | undefined;
  readonly #cellSeed: number;
  #coverage = true;
  #evaluations = 0;

  /** @param cellSeed decides about the cell that the device finds; see noise() */
  constructor(random: Draws, cellSeed: number) {
    this.random = random;
    this.#cellSeed = cellSeed;
  }

  /** Is the device in a place with network? */
  get covered(): boolean {
    const signal = this.anomalies?.signal;
    return this.#coverage && (signal === undefined || hasService(signal));
  }

  /** Puts the device into, or takes it out of, a place without network. */
  setCoverage(on: boolean): void {
    if (this.#coverage === on) return;
    this.#coverage = on;
    this.moved();
  }

  /** What the antenna hears from now on; undefined: the device's own cell, which is good. */
  setSignal(signal: Signal | undefined): void {
    if (signal === undefined && this.anomalies?.signal === undefined) return;
    this.known.signal = signal;
    this.moved();
  }

  /** Whether the network grants power saving mode; asked at every attach. */
  setPowerSaving(granted: boolean): void {
    if (granted && this.anomalies === undefined) return;
    this.known.grants = granted;
  }

  /** Result of the last connection evaluation; undefined before the first (firmware behaviour, 4.1). */
  evaluation(): LteEvaluation | undefined {
    if (this.#evaluations === 0) return undefined;
    return evaluate(this.#cellSeed, this.#evaluations, this.anomalies?.evaluated);
  }

  /** The device is in another place. */
  protected abstract moved(): void;

  protected get known(): ModemAnomalies {
    this.anomalies ??= new ModemAnomalies();
    return this.anomalies;
  }

  protected get savesPower(): boolean {
    return this.anomalies?.granted ?? true;
  }

  /** Evaluates the connection. Without network that fails, and the last result stays. */
  protected evaluate(): void {
    if (!this.covered) return;
    this.#evaluations++;
    if (this.anomalies) this.anomalies.evaluated = this.anomalies.signal;
  }

  /** Forgets what was evaluated. */
  protected forget(): void {
    this.#evaluations = 0;
    this.anomalies?.forget();
  }

  /** How long attaching takes from now on; Infinity without network. */
  protected attachTime(): Millis {
    if (!this.covered) return Number.POSITIVE_INFINITY;
    const signal = this.anomalies?.signal;
    return Math.round(integerBetween(this.random, ...ATTACH) * (signal ? attachFactor(signal) : 1));
  }

  /** Whether a weak signal brings to nothing what is on the air now. */
  protected fades(): boolean {
    const signal = this.anomalies?.signal;
    return signal !== undefined && chance(this.random, lossRatio(signal));
  }
}
