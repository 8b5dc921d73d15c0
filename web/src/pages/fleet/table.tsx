/** The table of the fleet. Only the rows in view are in the document, so that 100,000 devices scroll smoothly. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '../../model/fleet.js';
import { model } from '../../model/space.js';
import { useWindow } from '../../parts/rows.js';
import { openedFromHere } from '../../place.js';
import { address, go } from '../../route.js';
import { COLUMNS, type Column } from './columns.js';
import type { Sorting } from './view.js';

/** Height of a row in CSS pixels, the same as `--row` in the style. */
const ROW = 36;
const WIDTHS = COLUMNS.map(({ width }) => width).join(' ');

interface TableProps {
  /** The rows to show. This may be the list of the fleet itself, which changes in place. */
  readonly rows: readonly Row[];
  /** Changes when the rows have to be drawn again. */
  readonly turn: number;
  readonly count: number;
  readonly sorting: Sorting;
  readonly sort: (sorting: Sorting) => void;
}

export function Table({ rows, turn, count, sorting, sort }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const { first, end } = useWindow(box, rows.length, ROW);
  const [activeId, activate] = useState(() => openedFromHere('devices', true));
  // This is a ref instead of a state, because key presses can arrive faster than the table is rendered.
  const place = useRef(0);
  // The same device stays active when the rows are sorted again.
  if (activeId !== undefined && rows[place.current]?.id !== activeId) {
    place.current = Math.max(
      0,
      rows.findIndex(({ id }) => id === activeId),
    );
  }
  const active = Math.min(place.current, Math.max(0, rows.length - 1));
  const shown = rows.slice(first, end);
  // The active row is drawn out of view, too: screen readers and Back look for it.
  const drawn = [
    ...(active < first ? [active] : []),
    ...shown.map((_, i) => first + i),
    ...(active >= end ? [active] : []),
  ];
  useEffect(() => {
    // Reports are requested shortly after scrolling ends, not for every row that passes.
    const timer = setTimeout(() => model().fleet.ask(shown), 150);
    return () => clearTimeout(timer);
  }, [first, end, rows, turn, count]);

  function move(event: KeyboardEvent): void {
    const to = target(event.key, place.current, rows.length, Math.max(1, end - first - 16));
    if (event.key === 'Enter') go('devices', rows[place.current]?.id ?? '');
    if (to === undefined) return;
    event.preventDefault();
    place.current = to;
    activate(rows[to]?.id);
    const { current } = box;
    if (!current) return;
    const top = to * ROW;
    if (top < current.scrollTop) current.scrollTop = top;
    // The rows begin below the head, which is as high as a row. So the end of a row is two rows below its `top`.
    else if (top + 2 * ROW > current.scrollTop + current.clientHeight) {
      current.scrollTop = top + 2 * ROW - current.clientHeight;
    }
  }

  return (
    <div
      class="fleet"
      role="grid"
      aria-label="Devices"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={rows.length > 0 ? `row-${active}` : undefined}
      tabIndex={0}
      style={{ '--columns': WIDTHS }}
      ref={box}
      onKeyDown={move}
    >
      <Head sorting={sorting} sort={sort} />
      <div role="rowgroup" class="space" style={{ height: `${rows.length * ROW}px` }}>
        {drawn.map((index) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <Line
              key={row.id}
              {...{ row, index }}
              isActive={index === active}
              // The focus stays on the grid, because the row with the link may be scrolled out of view.
              focused={() => {
                activate(row.id);
                box.current?.focus({ preventScroll: true });
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

function Head({ sorting, sort }: Pick<TableProps, 'sorting' | 'sort'>) {
  return (
    <div role="rowgroup" class="head">
      <div role="row" class="row" aria-rowindex={1}>
        {COLUMNS.map((column) => (
          <div key={column.key} role="columnheader" class={column.key} aria-sort={direction(column, sorting)}>
            {column.order ? (
              <button type="button" onClick={() => sort(next(column, sorting))}>
                {column.title}
                <span aria-hidden="true">
                  {{ ascending: ' ↑', descending: ' ↓', none: '' }[direction(column, sorting)]}
                </span>
              </button>
            ) : (
              column.title
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  readonly row: Row;
  /** Index of the row in the table, from 0. */
  readonly index: number;
  readonly isActive: boolean;
  /** Called when its link gets the focus. */
  readonly focused: () => void;
}

function Line({ row, index, isActive, focused }: LineProps) {
  return (
    <div
      id={`row-${index}`}
      role="row"
      class={isActive ? 'row active' : 'row'}
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${index * ROW}px)` }}
    >
      {COLUMNS.map(({ key, cell }) => (
        <div key={key} role="gridcell" class={key}>
          {key === 'name' ? (
            <a href={address('devices', row.id)} tabIndex={-1} onFocus={focused}>
              {cell(row)}
            </a>
          ) : (
            cell(row)
          )}
        </div>
      ))}
    </div>
  );
}

function direction(column: Column, { key, isDescending }: Sorting): 'ascending' | 'descending' | 'none' {
  if (column.key !== key) return 'none';
  return isDescending ? 'descending' : 'ascending';
}

/** The sorting after a click on a column: first ascending, then descending, then the order of the fleet. */
function next(column: Column, { key, isDescending }: Sorting): Sorting {
  if (column.key !== key) return { key: column.key, isDescending: false };
  return isDescending ? { key: undefined, isDescending: false } : { key, isDescending: true };
}

/** Index of the row to which a key moves; undefined for other keys. */
function target(key: string, from: number, count: number, page: number): number | undefined {
  const to = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: count,
  }[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}
