/**
 * What a modem hears at the place where it is, and what that costs it. The place is set from outside; most devices stay where
 * they belong, and carry nothing of this.
 */
import { chance, type Draws, integerBetween } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { LteEvaluation } from '../shell/host.js';
import { Rare } from './rare.js';
import { attachFactor, evaluate, hasService, lossRatio, type Signal } from './signal.js';
import { ATTACH } from './timing.js';

export abstract class Reception {
  protected readonly random: Draws;
  protected rare: Rare | undefined;
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
    const signal = this.rare?.signal;
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
    if (signal === undefined && this.rare?.signal === undefined) return;
    this.known.signal = signal;
    this.moved();
  }

  /** Whether the network grants power saving mode; asked at every attach. */
  setPowerSaving(granted: boolean): void {
    if (granted && this.rare === undefined) return;
    this.known.grants = granted;
  }

  /** Result of the last connection evaluation; undefined before the first (firmware behaviour, 4.1). */
  evaluation(): LteEvaluation | undefined {
    if (this.#evaluations === 0) return undefined;
    return evaluate(this.#cellSeed, this.#evaluations, this.rare?.evaluated);
  }

  /** The device is in another place. */
  protected abstract moved(): void;

  protected get known(): Rare {
    this.rare ??= new Rare();
    return this.rare;
  }

  protected get savesPower(): boolean {
    return this.rare?.granted ?? true;
  }

  /** Evaluates the connection. Without network that fails, and the last result stays. */
  protected evaluate(): void {
    if (!this.covered) return;
    this.#evaluations++;
    if (this.rare) this.rare.evaluated = this.rare.signal;
  }

  /** Forgets what was evaluated. */
  protected forget(): void {
    this.#evaluations = 0;
    this.rare?.forget();
  }

  /** How long attaching takes from now on; Infinity without network. */
  protected attachTime(): Millis {
    if (!this.covered) return Number.POSITIVE_INFINITY;
    const signal = this.rare?.signal;
    return Math.round(integerBetween(this.random, ...ATTACH) * (signal ? attachFactor(signal) : 1));
  }

  /** Whether a weak signal brings to nothing what is on the air now. */
  protected fades(): boolean {
    const signal = this.rare?.signal;
    return signal !== undefined && chance(this.random, lossRatio(signal));
  }
}
