/** The fleet as a wall of cells, each a device. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countNone, HEALTHS, type HealthCounts } from '../../../../src/contract/health.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { counted } from '../../model/count.js';
import type { Feed } from '../../model/feed.js';
import { healthOf, type Row } from '../../model/fleet.js';
import { lengthText } from '../../model/length.js';
import { now } from '../../model/now.js';
import { model } from '../../model/space.js';
import { HEALTH_NAMES } from '../../parts/health-badge.js';
import { openedFromHere } from '../../place.js';
import { isPresenting } from '../../present.js';
import { fleetAddress, go } from '../../route.js';
import { theme } from '../../theme.js';
import { type Box, cellAt, indexAt, indexesIn, type Layout, layOut, neighbour } from './layout.js';
import { ordered } from './order.js';
import { type Cells, type Flash, Painter, WAITING } from './painter.js';

const FLASHES: Readonly<Record<string, Flash>> = { offered: 'offered', sent: 'offered', answered: 'answered' };

/** Number of devices up to which the wall is sorted at each change of the list. */
const SMALL = 2_000;

/** Distance between the largest cells, in px. */
const largestFor = (devices: number, width: number) => (isPresenting || devices <= FEW ? 48 : width < NARROW ? 26 : 34);
const FEW = 24;
/** Width of a phone, where cells of the usual size would make the page long. */
const NARROW = 600;

/** Most names in the address of a selection. */
const MOST_SELECTED = 100;

export function Wall({ height }: { readonly height: number }) {
  const { fleet, feed } = model();
  const version = fleet.version.value;
  const list = fleet.listVersion.value;
  const time = now.value;
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [openedId] = useState(() => openedFromHere('devices', false) ?? '');
  const [drag, setDrag] = useState<Box | undefined>(undefined);
  const isComplete = fleet.isComplete.value;
  // Sorting a large fleet takes a while: it is done once, when all devices are known.
  const turn = fleet.rows.length < SMALL ? list : fleet.rows.length;
  const order = useMemo(() => ordered(fleet.rows, isComplete), [turn, isComplete]);
  const layout = useMemo(
    () => layOut(order.groups, Math.max(width, 40), height, largestFor(order.rows.length, width)),
    [order, width, height],
  );
  const cells = useMemo(() => cellsOf(order.rows, time), [order, version, time]);
  useEffect(() => {
    const { current: element } = box;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { cursor, setCursor, selected, setSelected, key } = useSelection(layout);
  const marked = useMemo(() => new Set([...selected, ...(cursor === undefined ? [] : [cursor])]), [selected, cursor]);
  const canvas = usePainter({ feed, places: order.places, layout, width, cells, marked });

  const at = (event: MouseEvent) => {
    const { left, top } = (canvas.current ?? document.body).getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const open = (index: number | undefined) => {
    const row = index === undefined ? undefined : order.rows[index];
    if (row) go('devices', row.id);
  };
  const release = (event: PointerEvent) => {
    if (!drag) return;
    setDrag(undefined);
    const { x, y } = at(event);
    const isClick = Math.abs(x - drag.x0) < 4 && Math.abs(y - drag.y0) < 4;
    if (isClick) return open(indexAt(layout, x, y));
    setSelected(indexesIn(layout, { ...drag, x1: x, y1: y }));
  };
  useEffect(() => {
    const index = order.places.get(openedId);
    if (index === undefined) return;
    canvas.current?.focus();
    setCursor(index);
  }, []);
  const named = cursor === undefined ? undefined : order.rows[cursor];
  const counts = useMemo(() => countsOf(cells), [cells]);
  return (
    <section class="wall">
      <Legend counts={counts} isComplete={isComplete} />
      <div ref={box} class="wall-box" style={{ height: `${layout.height}px` }}>
        {layout.blocks.map(({ name, titleTop, first, count }) =>
          name === '' ? null : (
            <BlockTitle key={name} name={name} top={titleTop} cells={cells.subarray(first, first + count)} />
          ),
        )}
        {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: the arrow keys move over the devices */}
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`${counted(order.rows.length, 'device')}: ${HEALTHS.map((health) => `${counts[health]} ${HEALTH_NAMES[health]}`).join(', ')}. The arrow keys move over the devices, Enter opens one, Shift with the arrow keys selects.`}
          onKeyDown={(event) => (event.key === 'Enter' ? open(cursor) : key(event))}
          onBlur={() => setCursor(undefined)}
          onPointerDown={(event) => {
            const { x, y } = at(event);
            setDrag({ x0: x, y0: y, x1: x, y1: y });
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={(event) => {
            // When the wall moves below a pointer that rests, the browser reports a movement by 0.
            if (event.movementX === 0 && event.movementY === 0) return;
            const { x, y } = at(event);
            if (drag) setDrag({ ...drag, x1: x, y1: y });
            setCursor(indexAt(layout, x, y));
          }}
          onPointerUp={release}
          onPointerLeave={() => !drag && setCursor(undefined)}
        />
        {drag && <div class="drag" style={styleOf(drag)} />}
        {named && cursor !== undefined && <Tip row={named} time={time} at={cellAt(layout, cursor)} width={width} />}
      </div>
      {selected.length > 0 && (
        <Selection
          rows={selected.flatMap((index) => order.rows[index] ?? [])}
          time={time}
          clear={() => setSelected([])}
        />
      )}
    </section>
  );
}

/** The cell at the pointer or the cursor of the keyboard, and the selected cells. */
function useSelection(layout: Layout) {
  const [cursor, setCursor] = useState<number | undefined>(undefined);
  const [selected, setSelected] = useState<readonly number[]>([]);
  /** The cell at which the keyboard began to select. */
  const anchor = useRef<number | undefined>(undefined);
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setSelected([]);
      return setCursor(undefined);
    }
    const isArrow = event.key.startsWith('Arrow');
    if (!isArrow && event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    const next = cursor === undefined && isArrow ? 0 : neighbour(layout, cursor ?? 0, event.key);
    setCursor(next);
    anchor.current = event.shiftKey ? (anchor.current ?? cursor ?? next) : undefined;
    if (anchor.current !== undefined) setSelected(indexesBetween(anchor.current, next));
  };
  return { cursor, setCursor, selected, setSelected, key };
}

function indexesBetween(one: number, other: number): readonly number[] {
  const first = Math.min(one, other);
  return Array.from({ length: Math.abs(other - one) + 1 }, (_, n) => first + n);
}

interface BlockTitleProps {
  readonly name: string;
  /** In px. */
  readonly top: number;
  readonly cells: Cells;
}

/** `cellar 60 · 12 silent` */
function BlockTitle({ name, top, cells }: BlockTitleProps) {
  const { silent, late } = countsOf(cells);
  return (
    <div class="block-title" style={{ top: `${top}px` }}>
      {printableLine(name)} <span class="dim">{cells.length.toLocaleString('en')}</span>
      {silent > 0 && (
        <>
          {' · '}
          <span class="bad">{shareText(silent, cells.length)} silent</span>
        </>
      )}
      {late > 0 && (
        <>
          {' · '}
          <span class="late">{shareText(late, cells.length)} late</span>
        </>
      )}
    </div>
  );
}

function shareText(part: number, whole: number): string {
  return part === whole ? 'all' : part.toLocaleString('en');
}

interface Painted {
  readonly feed: Feed;
  readonly places: ReadonlyMap<string, number>;
  readonly layout: Layout;
  readonly width: number;
  readonly cells: Cells;
  readonly marked: ReadonlySet<number>;
}

/** Keeps a canvas up to date. */
function usePainter({ feed, places, layout, width, cells, marked }: Painted) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | null>(null);
  const latest = useRef(places);
  latest.current = places;
  useEffect(() => {
    const { current: element } = canvas;
    if (!element) return;
    const created = new Painter(element);
    painter.current = created;
    const calm = matchMedia('(prefers-reduced-motion: reduce)');
    const flash = (id: string, kind: Flash) => {
      const place = latest.current.get(id);
      if (place !== undefined && !calm.matches) created.flash(place, kind);
    };
    const end = feed.listen({
      message: ({ direction, device_id }) => {
        if (direction === 'up') flash(device_id, 'contact');
      },
      station: ({ what, device_id }) => {
        const kind = FLASHES[what];
        if (kind) flash(device_id, kind);
      },
    });
    return () => {
      end();
      created.close();
    };
  }, [feed]);
  useEffect(() => {
    if (width > 0) painter.current?.reset(layout, width, cells);
  }, [layout, width, theme.value]);
  useEffect(() => painter.current?.update(cells), [cells]);
  useEffect(() => painter.current?.mark(marked), [marked, layout]);
  return canvas;
}

function cellsOf(rows: readonly Row[], time: number): Cells {
  const cells = new Uint8Array(rows.length);
  rows.forEach((row, index) => {
    cells[index] = HEALTHS.indexOf(healthOf(row, time)) + (row.waiting.size > 0 ? WAITING : 0);
  });
  return cells;
}

function countsOf(cells: Cells): Readonly<HealthCounts> {
  const counts = countNone();
  for (const cell of cells) counts[HEALTHS[cell % WAITING] ?? 'never_seen']++;
  return counts;
}

function Legend({ counts, isComplete }: { readonly counts: Readonly<HealthCounts>; readonly isComplete: boolean }) {
  return (
    <ul class="legend">
      {HEALTHS.map((health) => (
        <li key={health}>
          <span class={`swatch ${health}`} aria-hidden="true" /> {HEALTH_NAMES[health]}{' '}
          <span class="dim">{counts[health].toLocaleString('en')}</span>
        </li>
      ))}
      <li>
        <span class="swatch waiting" aria-hidden="true" /> downlink waiting
      </li>
      {!isComplete && <li class="dim">loading the other devices …</li>}
    </ul>
  );
}

interface TipProps {
  readonly row: Row;
  readonly time: number;
  readonly at: { readonly x: number; readonly y: number };
  readonly width: number;
}

/** What is known of the device at the cursor. */
function Tip({ row, time, at, width }: TipProps) {
  const { name, lastContact, contactEvery, waiting } = row;
  const facts = [
    lastContact === 0 ? 'no contact yet' : `last contact ${lengthText(Math.max(0, time - lastContact))} ago`,
    ...(contactEvery === null ? [] : [`every ${lengthText(contactEvery)}`]),
    ...(waiting.size === 0 ? [] : [`${counted(waiting.size, 'downlink')} waiting`]),
  ];
  const side = at.x > width / 2 ? { right: `${Math.max(0, width - at.x)}px` } : { left: `${at.x}px` };
  return (
    <div class="tip" role="status" style={{ top: `${at.y + 30}px`, ...side }}>
      <strong>{name}</strong> {HEALTH_NAMES[healthOf(row, time)]}
      <div class="dim">{facts.join(' · ')}</div>
    </div>
  );
}

function styleOf({ x0, y0, x1, y1 }: Box) {
  return {
    left: `${Math.min(x0, x1)}px`,
    top: `${Math.min(y0, y1)}px`,
    width: `${Math.abs(x1 - x0)}px`,
    height: `${Math.abs(y1 - y0)}px`,
  };
}

interface SelectionProps {
  readonly rows: readonly Row[];
  readonly time: number;
  readonly clear: () => void;
}

function Selection({ rows, time, clear }: SelectionProps) {
  const counts = countsOf(cellsOf(rows, time));
  const parts = HEALTHS.filter((health) => counts[health] > 0).map(
    (health) => `${counts[health]} ${HEALTH_NAMES[health]}`,
  );
  return (
    <p class="selection" role="status">
      <strong>{counted(rows.length, 'device')} selected</strong> <span class="dim">{parts.join(', ')}</span>{' '}
      {rows.length <= MOST_SELECTED && (
        <a href={fleetAddress(rows.map(({ serial }) => `serial=${serial}`).join(' | '))}>Show them in the fleet</a>
      )}{' '}
      <button type="button" onClick={clear}>
        Clear
      </button>
    </p>
  );
}
