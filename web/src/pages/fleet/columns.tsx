/** The columns of the fleet table: their content, and the values by which they sort. */
import type { ComponentChildren } from 'preact';
import { healthOf, type Row } from '../../model/fleet.js';
import { now } from '../../model/now.js';
import { shortName, valueText } from '../../model/values.js';
import { Ago } from '../../parts/ago.js';
import { HealthBadge } from '../../parts/health-badge.js';
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

/** Devices that need attention come first. */
const ORDER = { silent: 0, late: 1, never_seen: 2, on_time: 3 } as const;

const UNKNOWN = <span class="dim">–</span>;

export const COLUMNS: readonly Column[] = [
  {
    key: 'name',
    title: 'Device',
    width: 'minmax(9rem, 1fr)',
    cell: ({ name }) => <span class="name">{name}</span>,
    order: ({ name }) => name,
  },
  {
    key: 'state',
    title: 'State',
    width: '6.2rem',
    cell: (row) => <State row={row} />,
    order: (row) => ORDER[healthOf(row, now.peek())],
  },
  {
    key: 'seen',
    title: 'Last contact',
    width: '6.8rem',
    cell: ({ lastContact }) => <Ago at={lastContact} />,
    order: ({ lastContact }) => -lastContact,
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
    cell: ({ report }) => (report?.voltage === undefined ? UNKNOWN : valueText(report.voltage, 'V')),
    order: ({ report }) => report?.voltage ?? 99,
  },
  { key: 'values', title: 'Latest values', width: 'minmax(19rem, 2.4fr)', cell: (row) => <Values row={row} /> },
  {
    key: 'trend',
    title: 'Trend',
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

/** A badge that shows whether the device keeps its rhythm. */
function State({ row }: { readonly row: Row }) {
  return <HealthBadge health={healthOf(row, now.value)} />;
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
    <span title={readings.map(({ name, value, unit }) => `${name} ${valueText(value, unit)}`).join('\n')}>
      {readings.slice(0, 2).map(({ name, value, unit }) => (
        <span key={name} class="value">
          <span class="dim">{shortName(name)}</span> {valueText(value, unit)}
        </span>
      ))}
    </span>
  );
}

function Firmware({ row: { firmware, product } }: { readonly row: Row }) {
  return firmware === '' ? UNKNOWN : <span title={product}>{firmware}</span>;
}
