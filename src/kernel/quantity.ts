/** Numbers with a unit as texts, the same in reports, messages and comparisons. */
import type { Ratio } from './ratio.js';
import { exactDuration, formatDuration, humanDuration } from './time.js';

/** Counts and quotients are plain numbers, durations are milliseconds, ratios are numbers that are written in percent. */
export type Unit = 'count' | 'ms' | 'ratio';

/** A measured value for people: `12,345`, `21m 05s`, `98.75%`. */
export function humanValue(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
      return humanDuration(value);
    case 'ratio':
      return exactValue(value, unit);
    case 'count':
      return humanCount(value);
    default:
      return unit satisfies never;
  }
}

/** Like {@link humanValue}, with enough digits to differ from the limit: `6m 33s, wanted <= 6m33s` can be a failure. */
export function valueBeside(value: number, limit: number | null, unit: Unit): string {
  const forms = [humanValue, ...(unit === 'ms' ? [exactDuration] : []), fullValue];
  const telling = forms.find((form) => value === limit || form(value, unit) !== form(limit ?? Number.NaN, unit));
  return (telling ?? humanValue)(value, unit);
}

/** All digits that count: values that differ in later ones are equal to an expectation. */
export function fullValue(value: number, unit: Unit): string {
  const [size, sign] = unit === 'ratio' ? [100, '%'] : [1, unit === 'ms' ? 'ms' : ''];
  return `${Number((value * size).toPrecision(13))}${sign}`;
}

/** A value in the form that expectations are written in: `12345`, `21m5s`, `98.75%`. */
export function exactValue(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
      return formatDuration(value);
    case 'ratio':
      return `${Number((value * 100).toFixed(4))}%`;
    case 'count':
      return String(Number(value.toPrecision(12)));
    default:
      return unit satisfies never;
  }
}

/** A count with thousands separators: `12,345`. */
export function humanCount(count: number): string {
  const [whole = '', ...fraction] = exactValue(count, 'count').split('.');
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}

/** A number of things: `1 device`, `12,345 devices`. */
export function countOf(count: number, thing: string): string {
  return `${humanCount(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/** A level of a search with its unit: `12.5/s`, `2,000`. */
export function levelText(value: number, unit: string): string {
  return `${humanCount(value)}${unit}`;
}

/** A share with one decimal: `98.7%`; `<0.1%` for one that would round to 0. */
export function humanShare(share: Ratio): string {
  return share > 0 && share < 0.0005 ? '<0.1%' : `${(share * 100).toFixed(1)}%`;
}

/** A relative change with its sign and one decimal: `+4.5%`. */
export function humanChange(change: number): string {
  return `${change > 0 ? '+' : ''}${(change * 100).toFixed(1)}%`;
}

/** The first `most` of many names, and how many others there are: `a, b, and 3 more`. */
export function listFirst(names: readonly (string | number)[], most: number): string {
  const others = names.length - most;
  return names.slice(0, most).join(', ') + (others > 0 ? `, and ${others} more` : '');
}
