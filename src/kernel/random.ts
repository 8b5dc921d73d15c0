/**
 * Random numbers that do not depend on other users of the generator.
 *
 * A fork is seeded from its path (`seed/device/2159017985/radio`), never by drawing from its parent. So adding a device or a
 * sensor does not change the numbers of others.
 */

import seedrandom from 'seedrandom';
import type { Ratio } from './ratio.js';

/** A source of numbers. */
export interface Draws {
  /** Uniform in [0, 1). */
  next(): number;
  /** Random bytes; only in sources with a cheaper way than one number per byte. */
  bytes?(length: number): Uint8Array;
}

export interface Random extends Draws {
  /** An independent generator. Its path is the path of this generator plus `name`. */
  fork(name: string): Random;
}

/** The root generator of a run. */
export function seededRandom(seed: string | number): Random {
  return new PathRandom(String(seed));
}

class PathRandom implements Random {
  readonly #path: string;
  // Created at the first draw, because most generators of a large fleet are only forked and never draw a number.
  #generator: (() => number) | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  next(): number {
    this.#generator ??= seedrandom.alea(this.#path);
    return this.#generator();
  }

  fork(name: string): Random {
    return new PathRandom(`${this.#path}/${name}`);
  }
}

/** Uniform in [from, to). */
export function between(random: Draws, from: number, to: number): number {
  return from + random.next() * (to - from);
}

/** A whole number in [from, to], both ends included. */
export function integerBetween(random: Draws, from: number, to: number): number {
  return from + Math.floor(random.next() * (to - from + 1));
}

/** True with the probability `ratio`. A ratio of 0 or 1 draws no number, because the result is certain. */
export function chance(random: Draws, ratio: Ratio): boolean {
  return ratio > 0 && (ratio >= 1 || random.next() < ratio);
}

/**
 * Exponentially distributed with mean 1, such as the time between independent arrivals.
 *
 * Uses von Neumann's comparison of uniform numbers, because a logarithm may differ in its last bit between engines. Runs of
 * falling numbers are drawn until one has odd length. The first number of that run is the fraction; the number of runs before
 * it is the whole part.
 */
export function exponential(random: Draws): number {
  for (let whole = 0; ; whole++) {
    const fraction = random.next();
    let previous = fraction;
    let length = 1;
    for (let next = random.next(); next < previous; next = random.next()) {
      previous = next;
      length++;
    }
    if (length % 2 === 1) return whole + fraction;
  }
}

/** `length` random bytes. */
export function randomBytes(random: Draws, length: number): Uint8Array {
  if (random.bytes) return random.bytes(length);
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = Math.floor(random.next() * 256);
  return bytes;
}

/** A 32-bit seed for {@link noise}. */
export function noiseSeed(random: Draws): number {
  return Math.floor(random.next() * 4_294_967_296) | 0;
}

/** The `index`-th number of a stream, in [0, 1), without state: a sensor keeps four bytes, and reads in any order. */
export function noise(seed: number, index: number): number {
  // Three rounds of a 32-bit integer hash (multiply and xor-shift); integer arithmetic is the same in every engine.
  let h = Math.imul(seed ^ Math.imul(index | 0, 0x9e3779b1), 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h + (Math.floor(index / 4_294_967_296) | 0), 0xc2b2ae35);
  h ^= h >>> 16;
  h = Math.imul(h, 0x27d4eb2f);
  h ^= h >>> 15;
  return (h >>> 0) / 4_294_967_296;
}

/** A generator of two numbers, for what exists once a device and draws often: seedrandom takes 0.44 kB. */
export class NoiseStream implements Draws {
  readonly #seed: number;
  #index = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  next(): number {
    return noise(this.#seed, this.#index++);
  }
}
