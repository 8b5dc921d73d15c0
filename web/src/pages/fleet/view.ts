/** Selects and sorts the rows of the fleet table. */
import type { Health } from '../../../../src/contract/health.js';
import { healthOf, type Row } from '../../model/fleet.js';
import { EVERY, type Search } from '../../model/search.js';
import { COLUMNS } from './columns.js';

export interface Sorting {
  /** Key of a column; undefined for the order of the fleet. */
  readonly key: string | undefined;
  readonly isDescending: boolean;
}

/** The sorting in an address: the key of a column, after a minus if it is descending. */
export function sortingOf(text: string): Sorting {
  const isDescending = text.startsWith('-');
  const key = isDescending ? text.slice(1) : text;
  return COLUMNS.some((column) => column.key === key && column.order)
    ? { key, isDescending }
    : { key: undefined, isDescending: false };
}

/** The inverse of {@link sortingOf}. */
export function sortText({ key = '', isDescending }: Sorting): string {
  return (isDescending ? '-' : '') + key;
}

export function viewOf(rows: readonly Row[], { matches }: Search, { key, isDescending }: Sorting): readonly Row[] {
  // If all devices match, the rows are not copied: a large fleet is mostly shown without a search.
  const found = matches === EVERY ? rows : rows.filter(matches);
  const order = COLUMNS.find((column) => column.key === key)?.order;
  if (!order) return found;
  const sign = isDescending ? -1 : 1;
  // The values are computed once per row: when 100,000 rows are sorted, each row is compared about 17 times.
  const keyed = found.map((row) => ({ row, by: order(row) }));
  keyed.sort((a, b) => (a.by < b.by ? -sign : a.by > b.by ? sign : 0));
  return keyed.map(({ row }) => row);
}

/** The devices of a search that have a health. @param health empty for all @param time Unix time in ms */
export function ofHealth(search: Search, health: Health | '', time: number): Search {
  if (health === '') return search;
  return { ...search, matches: (row) => healthOf(row, time) === health && search.matches(row) };
}

/** A tag or a region, with its number of devices and of their waiting downlinks. */
export interface Group {
  readonly name: string;
  readonly devices: number;
  readonly waiting: number;
}

export interface Groups {
  readonly tags: readonly Group[];
  readonly regions: readonly Group[];
}

/** Tags and regions with their numbers of devices and waiting downlinks, by name. */
export function groupsOf(rows: readonly Row[]): Groups {
  const tags = new Map<string, Counts>();
  const regions = new Map<string, Counts>();
  for (const row of rows) {
    for (const tag of row.tags) count(tags, tag, row);
    if (row.region !== null) count(regions, row.region, row);
  }
  return { tags: byName(tags), regions: byName(regions) };
}

interface Counts {
  devices: number;
  waiting: number;
}

function count(groups: Map<string, Counts>, name: string, { waiting }: Row): void {
  const group = groups.get(name) ?? { devices: 0, waiting: 0 };
  group.devices++;
  group.waiting += waiting.size;
  groups.set(name, group);
}

function byName(groups: ReadonlyMap<string, Counts>): readonly Group[] {
  return [...groups].map(([name, counts]) => ({ name, ...counts })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The selector of a region. Its name needs quotation marks if it contains characters that a word cannot have. */
export function regionSelector(region: string): string {
  if (/^[\w.-]+$/.test(region)) return `region/${region}`;
  return region.includes('"') ? `region='${region}'` : `region="${region}"`;
}
