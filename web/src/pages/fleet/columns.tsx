/** The columns of the fleet table: their content, and the values by which they sort. */
import type { ComponentChildren } from 'preact';
import type { Row } from '../../model/fleet.js';
import { now } from '../../model/now.js';
import { shortName } from '../../model/values.js';
import { Ago } from '../../parts/ago.js';
import { Sparkline } from '../../parts/sparkline.js';

export interface Column {
  readonly key: string;
  readonly title: string;
  /** Width in the grid of a row, as in CSS. Phones show only some columns, with the widths in fleet.css. */
  readonly width: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Value to sort by; absent if the column cannot be sorted. */
  readonly order?: (row: Row) => number | string;
}

const UNKNOWN = <span class="dim">–</span>;
const HOUR = 3_600_000;

export const COLUMNS: readonly Column[] = [
  {
    key: 'name',
    title: 'Device',
    width: 'minmax(9rem, 1fr)',
    cell: ({ name }) => <span class="name">{name}</span>,
    order: ({ name }) => name,
  },
  { key: 'state', title: 'State', width: '4.6rem', cell: (row) => <State row={row} /> },
  {
    key: 'seen',
    title: 'Last contact',
    width: '6.8rem',
    cell: ({ lastSeen }) => <Ago at={lastSeen} />,
    order: ({ lastSeen }) => -lastSeen,
  },
  {
    key: 'signal',
    title: 'Signal',
    width: '7rem',
    cell: ({ report }) => (report?.rsrp === undefined ? UNKNOWN : <Signal rsrp={report.rsrp} />),
    order: ({ report }) => report?.rsrp ?? 0,
  },
  {
    key: 'battery',
    title: 'Battery',
    width: '4.6rem',
    cell: ({ report }) => (report?.voltage === undefined ? UNKNOWN : `${report.voltage.toFixed(2)} V`),
    order: ({ report }) => report?.voltage ?? 99,
  },
  { key: 'values', title: 'Latest values', width: 'minmax(19rem, 2.4fr)', cell: (row) => <Values row={row} /> },
  {
    key: 'trend',
    title: 'Reports',
    width: '6.4rem',
    cell: ({ trend, report }) => (
      <Sparkline values={trend} label={`${report?.readings[0]?.name ?? 'value'}: the latest ${trend.length} reports`} />
    ),
  },
  {
    key: 'waiting',
    title: 'Waiting',
    width: '4.6rem',
    cell: ({ waiting }) => (waiting.size === 0 ? UNKNOWN : <span class="count">{waiting.size}</span>),
    order: ({ waiting }) => -waiting.size,
  },
  {
    key: 'firmware',
    title: 'Firmware',
    width: 'minmax(5rem, 0.4fr)',
    cell: (row) => <Firmware row={row} />,
    order: ({ firmware }) => firmware,
  },
];

/** A badge that shows whether the device was recently in contact. */
function State({ row }: { readonly row: Row }) {
  const silence = now.value - row.lastSeen;
  if (row.lastSeen === 0) return <span class="badge new">new</span>;
  if (silence < 2 * HOUR) return <span class="badge good">active</span>;
  return silence < 24 * HOUR ? <span class="badge late">quiet</span> : <span class="badge bad">silent</span>;
}

/** Limits between the five levels of the signal, in dBm. */
const LEVELS = [-120, -110, -100, -90];

function Signal({ rsrp }: { readonly rsrp: number }) {
  const level = LEVELS.filter((limit) => rsrp >= limit).length;
  return (
    <span class="signal">
      <svg viewBox="0 0 18 12" width="18" height="12" aria-hidden="true">
        {LEVELS.map((limit, i) => (
          <rect key={limit} x={i * 5} y={9 - i * 3} width="3" height={3 + i * 3} class={i < level ? 'on' : 'off'} />
        ))}
      </svg>{' '}
      {rsrp} dBm
    </span>
  );
}

function Values({ row }: { readonly row: Row }) {
  const { readings = [] } = row.report ?? {};
  if (readings.length === 0) return UNKNOWN;
  return (
    <span title={readings.map(({ name, value, unit }) => `${name} ${value} ${unit}`.trim()).join('\n')}>
      {readings.slice(0, 2).map(({ name, value, unit }) => (
        <span key={name} class="value">
          <span class="dim">{shortName(name)}</span> {value} {unit}
        </span>
      ))}
    </span>
  );
}

function Firmware({ row: { firmware, product } }: { readonly row: Row }) {
  return firmware === '' ? UNKNOWN : <span title={product}>{firmware}</span>;
}
