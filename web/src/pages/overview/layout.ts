/** Where the cells of the wall are. Pure functions. */

export interface Block {
  readonly name: string;
  /** Index of the first cell. */
  readonly first: number;
  readonly count: number;
  /** Top of its title and of its cells, in px. */
  readonly titleTop: number;
  readonly top: number;
}

export interface Layout {
  /** Distance from one cell to the next, in px. */
  readonly pitch: number;
  /** Side of a cell. */
  readonly side: number;
  readonly columns: number;
  readonly blocks: readonly Block[];
  readonly height: number;
}

const LARGEST = 26;
/** Height of the title of a block, and the space after a block. */
const TITLE = 20;
const AFTER = 10;
/** More groups than this are drawn as one block without titles. */
export const MOST_BLOCKS = 8;

/**
 * Finds the largest cells with which all devices fit into a box. If not even the smallest fit, the box becomes higher.
 * @param groups number of devices of each group, in order
 * @param largest distance between the largest cells, in px
 */
export function layOut(
  groups: readonly { readonly name: string; readonly count: number }[],
  width: number,
  height: number,
  largest = LARGEST,
): Layout {
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const shown = groups.length > 1 && groups.length <= MOST_BLOCKS ? groups : [{ name: '', count: total }];
  for (let pitch = largest; pitch > 2; pitch--) {
    const layout = place(shown, width, pitch);
    if (layout.height <= height) return layout;
  }
  return place(shown, width, 2);
}

function place(
  groups: readonly { readonly name: string; readonly count: number }[],
  width: number,
  pitch: number,
): Layout {
  const columns = Math.max(1, Math.floor(width / pitch));
  const gap = pitch >= 14 ? 3 : pitch >= 8 ? 2 : pitch >= 4 ? 1 : 0;
  const blocks: Block[] = [];
  let top = 0;
  let first = 0;
  for (const { name, count } of groups) {
    const titleTop = top;
    if (name !== '') top += TITLE;
    blocks.push({ name, first, count, titleTop, top });
    first += count;
    top += Math.ceil(count / columns) * pitch + (groups.length > 1 ? AFTER : 0);
  }
  return { pitch, side: pitch - gap, columns, blocks, height: top };
}

/** Left and top of a cell. */
export function cellAt({ blocks, columns, pitch }: Layout, index: number): { readonly x: number; readonly y: number } {
  const block = blocks.findLast(({ first }) => first <= index) ?? blocks[0];
  const n = index - (block?.first ?? 0);
  return { x: (n % columns) * pitch, y: (block?.top ?? 0) + Math.floor(n / columns) * pitch };
}

/** The cell at a point; undefined beside the cells. */
export function indexAt({ blocks, columns, pitch }: Layout, x: number, y: number): number | undefined {
  const column = Math.floor(x / pitch);
  const block = blocks.findLast(({ top }) => top <= y);
  if (!block || column < 0 || column >= columns) return undefined;
  const n = Math.floor((y - block.top) / pitch) * columns + column;
  return n < block.count ? block.first + n : undefined;
}

export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** The cells whose centres are in a box. */
export function indexesIn(layout: Layout, { x0, y0, x1, y1 }: Box): readonly number[] {
  const [left, right] = [Math.min(x0, x1), Math.max(x0, x1)];
  const [upper, lower] = [Math.min(y0, y1), Math.max(y0, y1)];
  const found: number[] = [];
  for (const { first, count } of layout.blocks) {
    for (let n = 0; n < count; n++) {
      const { x, y } = cellAt(layout, first + n);
      const [cx, cy] = [x + layout.side / 2, y + layout.side / 2];
      if (cx >= left && cx <= right && cy >= upper && cy <= lower) found.push(first + n);
    }
  }
  return found;
}

/** The cell to which an arrow key leads. */
export function neighbour({ blocks, columns }: Layout, index: number, key: string): number {
  const total = blocks.reduce((sum, { count }) => sum + count, 0);
  const steps: Readonly<Record<string, number>> = {
    ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns },
    ...{ Home: -total, End: total },
  };
  return Math.max(0, Math.min(total - 1, index + (steps[key] ?? 0)));
}
