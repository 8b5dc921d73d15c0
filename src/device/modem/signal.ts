/**
 * The signal of a device and the effects of a weak one: longer attaching, lost datagrams, failed radio connections. Pure
 * functions; reception.ts stores the signal of a device.
 *
 * The sources give no figures (behaviour B-36). The figures in
 * {@link COSTS} are ours [assumption], modelled on the coverage levels of LTE-M and NB-IoT (3GPP TS 36.133, 9.1.22 and 36.304).
 */

import { noise } from '../../kernel/random.js';
import type { Ratio } from '../../kernel/ratio.js';
import type { Millis } from '../../kernel/time.js';
import type { Dbm, Decibels } from '../../kernel/units.js';
import type { Span } from './timing.js';

/** The signal at an antenna. Values that are left out are computed to match `rsrp`. */
export interface Signal {
  /** Reference signal received power, dBm. */
  readonly rsrp: Dbm;
  /** Reference signal received quality, dB. */
  readonly rsrq?: Decibels;
  /** Signal-to-noise ratio, dB. */
  readonly snr?: Decibels;
}

/** A connection evaluation as the modem reports it (shell S-24). */
export interface LteEvaluation {
  readonly eest: number;
  readonly ecl: number;
  /** dBm */
  readonly rsrp: Dbm;
  /** dB */
  readonly rsrq: Decibels;
  /** dB */
  readonly snr: Decibels;
  readonly plmn: number;
  readonly cid: number;
  readonly band: number;
  readonly earfcn: number;
}

/** Below this RSRP in dBm, the device finds no network. */
const NO_SERVICE: Dbm = -130;

/** Weakest cell of a device whose signal was not set, dBm. At this level and above, the signal has no bad effects. */
const OWN_CELL: Dbm = -115;

/** By RSRP: factor by which attaching takes longer, and probability that a datagram is lost or a radio connection fails. */
const COSTS = [
  { rsrp: OWN_CELL, attach: 1, loss: 0 },
  { rsrp: -120, attach: 2, loss: 0.05 },
  { rsrp: -125, attach: 4, loss: 0.2 },
  { rsrp: NO_SERVICE, attach: 10, loss: 0.5 },
] as const;

export function hasService({ rsrp }: Signal): boolean {
  return rsrp >= NO_SERVICE;
}

/** Factor by which attaching takes longer than with a good signal; 1 or more. */
export function attachFactor({ rsrp }: Signal): number {
  return between(rsrp, 'attach');
}

/** Probability that a datagram is lost on the air. */
export function lossRatio({ rsrp }: Signal): Ratio {
  return between(rsrp, 'loss');
}

/**
 * Result of a connection evaluation (shell S-24).
 * @param seed of the device's cell
 * @param count number of this evaluation, from 1; each evaluation has slightly different values
 * @param override signal set by a step or the console
 */
export function evaluate(seed: number, count: number, override: Signal | undefined): LteEvaluation {
  const cell = (index: number) => noise(seed, index);
  const now = (index: number) => noise(seed, count * 8 + index);
  const weak = override !== undefined && override.rsrp < OWN_CELL;
  const rsrp = Math.round(override?.rsrp ?? OWN_CELL + Math.floor(cell(1) * 35)) + Math.floor(now(1) * 5);
  const rsrq = Math.round(override?.rsrq ?? (weak ? -19 : -14 + Math.floor(cell(2) * 8))) + Math.floor(now(2) * 3);
  const snr = Math.round(override?.snr ?? (weak ? -6 : Math.floor(cell(3) * 15))) + Math.floor(now(3) * 4);
  return {
    // Energy estimate (5 to 9, high is good) and level of coverage enhancement (0 to 2, high is bad).
    eest: rsrp > -95 ? 8 : rsrp > -108 ? 7 : rsrp > -118 ? 6 : 5,
    ecl: rsrp > -112 ? 0 : rsrp > -122 ? 1 : 2,
    rsrp,
    rsrq,
    snr,
    plmn: 23003,
    cid: 900_000 + Math.floor(cell(4) * 90_000),
    band: 20,
    earfcn: 6447,
  };
}

/**
 * How long the device's cell keeps an idle radio connection.
 * @param seed of the device's cell
 */
export function keepsIdle(seed: number, [shortest, longest]: Span): Millis {
  return shortest + Math.floor(noise(seed, 5) * (longest - shortest + 1));
}

/** Linear interpolation between the rows, constant beyond both ends. */
function between(rsrp: Dbm, column: 'attach' | 'loss'): number {
  let above: (typeof COSTS)[number] = COSTS[0];
  for (const row of COSTS) {
    if (rsrp >= row.rsrp) {
      const part = row === above ? 0 : Math.min(1, (above.rsrp - rsrp) / (above.rsrp - row.rsrp));
      return above[column] + (row[column] - above[column]) * part;
    }
    above = row;
  }
  return above[column];
}
