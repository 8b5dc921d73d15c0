/** The signal at the modem's place, and its effects. A device whose signal never changed stores nothing for it. */
import { chance, type Draws, integerBetween } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import { ModemAnomalies } from './anomalies.js';
import { attachFactor, evaluate, hasService, keepsIdle, type LteEvaluation, lossRatio, type Signal } from './signal.js';
import type { Span } from './timing.js';

export abstract class Reception {
  protected readonly random: Draws;
  protected anomalies: ModemAnomalies | undefined;
  readonly #cellSeed: number;
  #coverage = true;
  #evaluations = 0;

  /** @param cellSeed determines the cell that the device finds; see noise() */
  constructor(random: Draws, cellSeed: number) {
    this.random = random;
    this.#cellSeed = cellSeed;
  }

  /** Whether the device is in a place with network. */
  get covered(): boolean {
    const signal = this.anomalies?.signal;
    return this.#coverage && (signal === undefined || hasService(signal));
  }

  /** Moves the device to a place with network (true) or without network (false). */
  setCoverage(on: boolean): void {
    if (this.#coverage === on) return;
    this.#coverage = on;
    this.moved();
  }

  /** Sets the signal at the antenna; undefined restores the signal of the device's own cell, which is good. */
  setSignal(signal: Signal | undefined): void {
    if (signal === undefined && this.anomalies?.signal === undefined) return;
    this.known.signal = signal;
    this.moved();
  }

  /** Whether the network grants power saving mode from the next attach on. */
  setPowerSaving(granted: boolean): void {
    if (granted && this.anomalies === undefined) return;
    this.known.grants = granted;
  }

  /** Result of the last connection evaluation; undefined before the first (behaviour B-23). */
  evaluation(): LteEvaluation | undefined {
    if (this.#evaluations === 0) return undefined;
    return evaluate(this.#cellSeed, this.#evaluations, this.anomalies?.evaluated);
  }

  /** The coverage or the signal has changed. */
  protected abstract moved(): void;

  protected get known(): ModemAnomalies {
    this.anomalies ??= new ModemAnomalies();
    return this.anomalies;
  }

  protected get savesPower(): boolean {
    return this.anomalies?.granted ?? true;
  }

  /** Evaluates the connection. Without network, the evaluation fails and the last result stays. */
  protected evaluate(): void {
    if (!this.covered) return;
    this.#evaluations++;
    if (this.anomalies) this.anomalies.evaluated = this.anomalies.signal;
  }

  /** Forgets the evaluations and the error counters. */
  protected forgetState(): void {
    this.#evaluations = 0;
    this.anomalies?.forget();
  }

  /** Draws the duration of an attach: from `span` with a good signal, longer with a weak one; Infinity without network. */
  protected attachTime(span: Span): Millis {
    if (!this.covered) return Number.POSITIVE_INFINITY;
    const signal = this.anomalies?.signal;
    return Math.round(integerBetween(this.random, ...span) * (signal ? attachFactor(signal) : 1));
  }

  /** How long the network keeps an idle radio connection: always the same time from `span`. */
  protected keepsIdle(span: Span): Millis {
    return keepsIdle(this.#cellSeed, span);
  }

  /** Draws whether a weak signal loses a datagram or a radio connection. */
  protected fades(): boolean {
    const signal = this.anomalies?.signal;
    return signal !== undefined && chance(this.random, lossRatio(signal));
  }
}
