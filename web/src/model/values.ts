/** The numbers in a report, with their units. Pure functions. */
import type { Message } from '../../../src/client/types.js';
import { append } from '../../../src/kernel/append.js';
import { isObject } from '../../../src/kernel/json-text.js';
import { lengthText } from './length.js';
import { nameOf } from './names.js';
import { inUnit, unitOf } from './units.js';

export interface Reading {
  /** `hygrometer temperature` */
  readonly name: string;
  readonly value: number;
  /** Empty if the unit is not known. */
  readonly unit: string;
  /** Least and greatest sample of a window; equal to the value without windows. */
  readonly min: number;
  readonly max: number;
}

/** A value of a quantity at a time, in the unit of the quantity. */
export interface Point extends Pick<Reading, 'value' | 'min' | 'max'> {
  /** By the clock of the device, in Unix seconds; undefined for a value without a time of its own. */
  readonly at: number | undefined;
}

/** What a report says about one quantity. */
export interface Quantity extends Pick<Reading, 'name' | 'unit'> {
  /** Whether it is about the device itself: its modem, battery and position. */
  readonly isOwn: boolean;
  /** In the order of the report, which is by time; at least one. */
  readonly points: readonly Point[];
}

/** Sections about the device itself. The table of the fleet has separate columns for them. */
const OWN = ['system', 'network', 'accelerometer', 'battery', 'state'];

/** A section whose readings come after those of the sensors: narrow places show only the first ones. */
const LAST = 'backup';

/** Sections and fields without a measured value: headers, identities, numbers of channels, lists of events, frames of meters. */
const IGNORED: ReadonlySet<string> = new Set([
  ...['message', 'frame', 'attribute', 'events', 'packets', 'timestamp', 'serial_number', 'addr', 'channel', 'type'],
  ...['device', 'card_uid', 'orientation', 'plmn', 'cid', 'band', 'earfcn', 'imei', 'imsi'],
]);

/** All quantities of a report: those of sensors first, then the supply, then those of the device itself. */
export function quantitiesOf(body: unknown): readonly Quantity[] {
  if (!isObject(body)) return [];
  const rank = (section: string) => (OWN.includes(section) ? 2 : section === LAST ? 1 : 0);
  return Object.entries(body)
    .filter(([section]) => !IGNORED.has(section))
    .sort(([a], [b]) => rank(a) - rank(b))
    .flatMap(([section, inner]) => within([section], inner, OWN.includes(section)));
}

/** The latest numbers of a report except those about the device itself. */
export function readingsOf(body: unknown): readonly Reading[] {
  return quantitiesOf(body).flatMap(({ name, unit, isOwn, points }) => {
    const last = points.at(-1);
    return isOwn || last === undefined ? [] : [{ name, unit, value: last.value, min: last.min, max: last.max }];
  });
}

/**
 * Name of a reading for narrow places: `hygrometer` for a temperature, otherwise the last two words. The backup battery is not
 * called the battery.
 */
export function shortName(name: string): string {
  const words = name.split(' ').filter((word) => !/^\d+$/.test(word));
  if (words[0] === LAST) return name;
  const isTemperature = words.at(-1) === 'temperature';
  return (isTemperature ? words.slice(0, -1).slice(-2) : words.slice(-2)).join(' ');
}

/** A clock that differs by more than this from that of the service is wrong: a device starts in 1970. In ms. */
export const CLOCK_ERROR = 2 * 86_400_000;

/**
 * When a report was made, in Unix ms. After an outage, a device sends what it has kept, and its newest report first: the one
 * that arrives last may be hours old.
 */
export function madeAt({ created_at, body }: Pick<Message, 'created_at' | 'body'>): number {
  const arrived = Date.parse(created_at);
  const made = (numberAt(body, ['message', 'timestamp']) ?? 0) * 1000;
  return arrived - made > CLOCK_ERROR ? arrived : Math.min(made, arrived);
}

/** Signal strength in dBm; undefined if the report does not contain it. */
export function rsrpOf(body: unknown): number | undefined {
  return numberAt(body, ['network', 'parameter', 'rsrp']);
}

/** Voltage of the battery at rest in V; undefined if the report does not contain it. */
export function voltageOf(body: unknown): number | undefined {
  return numberAt(body, ['system', 'voltage_rest']) ?? numberAt(body, ['battery', 'voltage_rest']);
}

/** Time since the boot in seconds; undefined if the report does not contain it. */
export function uptimeOf(body: unknown): number | undefined {
  return numberAt(body, ['system', 'uptime']) ?? numberAt(body, ['state', 'uptime']);
}

/**
 * Time since the boot, in ms.
 * @param uptime in a report, in seconds @param made Unix time of the report in ms, which may be ahead of `now`
 */
export function upFor(uptime: number, made: number, now: number): number {
  return uptime * 1000 + Math.max(0, now - made);
}

/** A number with its unit: `21.5 °C`. Seconds are written as a length of time. */
export function valueText(value: number, unit: string): string {
  if (unit === 's') return lengthText(value * 1000);
  return `${numberText(value, unit)} ${unit}`.trim();
}

/** `19.07 to 19.26 °C` */
export function rangeText(least: number, most: number, unit: string): string {
  return `${unit === 's' ? valueText(least, unit) : numberText(least, unit)} to ${valueText(most, unit)}`;
}

/** Decimals of the quantities that most devices measure, so that their values are below each other. */
const DECIMALS: Readonly<Record<string, number>> = { '°C': 2, V: 2, '%': 1 };

function numberText(value: number, unit: string): string {
  const decimals = DECIMALS[unit];
  return decimals === undefined ? String(Number(value.toPrecision(6))) : value.toFixed(decimals);
}

function within(path: readonly string[], value: unknown, isOwn: boolean): readonly Quantity[] {
  if (typeof value === 'number') return quantity(path, [{ at: undefined, value, min: value, max: value }], isOwn);
  if (Array.isArray(value)) {
    if (value.some((item) => isObject(item) && 'timestamp' in item)) return seriesIn(path, value, isOwn);
    return value.flatMap((item, n) => within([...path, numberOf(item, n)], item, isOwn));
  }
  if (!isObject(value)) return [];
  const { measurements } = value;
  if (Array.isArray(measurements) && measurements.length > 0) return seriesIn(path, measurements, isOwn);
  return Object.entries(value).flatMap(([key, inner]) =>
    IGNORED.has(key) || key === 'measurements' ? [] : within([...path, key], inner, isOwn),
  );
}

/** Number of a sensor for its name: that of its channel, otherwise its place in the list, from 1. */
function numberOf(item: unknown, place: number): string {
  const { channel } = isObject(item) ? item : {};
  return String(typeof channel === 'number' ? channel : place + 1);
}

/** The quantities of a list of windows or samples: one, or one for each column. */
function seriesIn(path: readonly string[], items: readonly unknown[], isOwn: boolean): readonly Quantity[] {
  const columns = new Map<string, Point[]>();
  const add = (column: string, point: Point) => append(columns, column, point);
  for (const item of items) {
    if (typeof item === 'number') add('', { at: undefined, value: item, min: item, max: item });
    if (!isObject(item)) continue;
    const at = typeof item.timestamp === 'number' ? item.timestamp : undefined;
    const { avg, min, max } = item;
    if (typeof avg === 'number') {
      add('', { at, value: avg, min: numberOr(min, avg), max: numberOr(max, avg) });
      continue;
    }
    for (const [key, value] of Object.entries(item)) {
      if (typeof value !== 'number' || IGNORED.has(key)) continue;
      add(key === 'value' ? '' : key, { at, value, min: value, max: value });
    }
  }
  return [...columns].flatMap(([column, points]) => quantity(column === '' ? path : [...path, column], points, isOwn));
}

function quantity(path: readonly string[], points: readonly Point[], isOwn: boolean): readonly Quantity[] {
  const words = path.filter((word) => !/^\d+$/.test(word)).join('.');
  const { unit, factorOf } = unitOf(words);
  const shown = points.map(({ at, value, min, max }) => {
    const factor = factorOf(value);
    return { at, value: inUnit(value, factor), min: inUnit(min, factor), max: inUnit(max, factor) };
  });
  return [{ name: nameOf(path), unit, isOwn, points: shown }];
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function numberAt(value: unknown, [key, ...rest]: readonly string[]): number | undefined {
  if (key === undefined) return typeof value === 'number' ? value : undefined;
  return isObject(value) ? numberAt(value[key], rest) : undefined;
}
