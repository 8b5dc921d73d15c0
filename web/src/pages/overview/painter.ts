/**
 * Draws the wall on a canvas: a cell for each device in the colour of its health, a mark for a waiting downlink, and for a moment
 * the flash of a contact. Only cells that have changed are drawn again.
 */
import { HEALTHS, type Health } from '../../../../src/contract/health.js';
import { cellAt, type Layout } from './layout.js';

/**
 * What each cell shows, in a byte: the place of its health in `HEALTHS`, plus {@link WAITING} if a downlink waits. A fleet of
 * 100,000 is computed four times a second.
 */
export type Cells = Uint8Array;

export const WAITING = 4;

export type Flash = 'contact' | 'offered' | 'answered';

/** How long a flash lasts, in ms. */
const LASTS = 1_100;

const COLOURS = [
  '--wall-on-time',
  '--wall-late',
  '--wall-silent',
  '--wall-never-seen',
  '--wall-flash',
  '--ground',
  '--text',
  '--link',
] as const;
type Colour = (typeof COLOURS)[number];

const FILLS: Readonly<Record<Health, Colour>> = {
  on_time: '--wall-on-time',
  late: '--wall-late',
  silent: '--wall-silent',
  never_seen: '--wall-never-seen',
};
const FLASHES: Readonly<Record<Flash, Colour>> = { contact: '--wall-flash', offered: '--link', answered: '--link' };

export class Painter {
  readonly #canvas: HTMLCanvasElement;
  readonly #draw: CanvasRenderingContext2D | null;
  #layout: Layout | undefined;
  #cells: Cells = new Uint8Array();
  #colours = new Map<string, string>();
  readonly #flashes = new Map<number, { readonly kind: Flash; readonly since: number }>();
  #frame = 0;
  #marked: ReadonlySet<number> = new Set();

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#draw = canvas.getContext('2d');
  }

  /** Draws everything, after a change of the size, the devices or the theme. */
  reset(layout: Layout, width: number, cells: Cells): void {
    const scale = devicePixelRatio || 1;
    this.#layout = layout;
    this.#cells = cells.slice();
    this.#canvas.width = Math.round(width * scale);
    this.#canvas.height = Math.round(layout.height * scale);
    this.#canvas.style.height = `${layout.height}px`;
    const style = getComputedStyle(document.documentElement);
    this.#colours = new Map(COLOURS.map((name) => [name, style.getPropertyValue(name).trim()]));
    const draw = this.#draw;
    if (!draw) return;
    draw.setTransform(scale, 0, 0, scale, 0, 0);
    draw.clearRect(0, 0, width, layout.height);
    for (let index = 0; index < this.#cells.length; index++) this.#paint(index);
  }

  /** Draws the cells that now show something else. */
  update(cells: Cells): void {
    for (let index = 0; index < this.#cells.length; index++) {
      const cell = cells[index] ?? 0;
      if (this.#cells[index] === cell) continue;
      this.#cells[index] = cell;
      this.#paint(index);
    }
  }

  /** Cells with a frame: the selected ones, and the one at the cursor. */
  mark(marked: ReadonlySet<number>): void {
    const before = this.#marked;
    this.#marked = marked;
    for (const index of before) if (!marked.has(index)) this.#paint(index);
    for (const index of marked) this.#paint(index);
  }

  flash(index: number, kind: Flash): void {
    if (this.#cells[index] === undefined) return;
    this.#flashes.set(index, { kind, since: performance.now() });
    if (this.#frame === 0) this.#frame = requestAnimationFrame((now) => this.#animate(now));
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#flashes.clear();
  }

  #animate(now: number): void {
    for (const [index, { since }] of this.#flashes) {
      if (now - since > LASTS) this.#flashes.delete(index);
      this.#paint(index, now);
    }
    this.#frame = this.#flashes.size === 0 ? 0 : requestAnimationFrame((next) => this.#animate(next));
  }

  #colour(name: Colour): string {
    return this.#colours.get(name) ?? 'gray';
  }

  #paint(index: number, now = performance.now()): void {
    const [draw, layout, cell] = [this.#draw, this.#layout, this.#cells[index]];
    if (!draw || !layout || cell === undefined) return;
    const { x, y } = cellAt(layout, index);
    const { side, pitch } = layout;
    draw.globalAlpha = 1;
    draw.fillStyle = this.#colour('--ground');
    draw.fillRect(x, y, pitch, pitch);
    draw.fillStyle = this.#colour(FILLS[HEALTHS[cell % WAITING] ?? 'never_seen']);
    this.#square(x, y, side);
    const flash = this.#flashes.get(index);
    if (flash) {
      draw.globalAlpha = Math.max(0, 1 - (now - flash.since) / LASTS) * 0.85;
      draw.fillStyle = this.#colour(FLASHES[flash.kind]);
      this.#square(x, y, side);
      draw.globalAlpha = 1;
    }
    if (cell >= WAITING) this.#dot(x, y, side);
    if (!this.#marked.has(index)) return;
    draw.strokeStyle = this.#colour('--text');
    draw.lineWidth = side > 6 ? 2 : 1;
    draw.strokeRect(x + 1, y + 1, Math.max(1, side - 2), Math.max(1, side - 2));
  }

  /** A waiting downlink. Small cells become blue as a whole. */
  #dot(x: number, y: number, side: number): void {
    const draw = this.#draw;
    if (!draw) return;
    draw.fillStyle = this.#colour('--link');
    if (side < 6) return this.#square(x, y, side);
    const radius = Math.max(1.5, side * 0.22);
    draw.beginPath();
    draw.arc(x + side / 2, y + side / 2, radius + 1.5, 0, 7);
    draw.fillStyle = this.#colour('--ground');
    draw.fill();
    draw.beginPath();
    draw.arc(x + side / 2, y + side / 2, radius, 0, 7);
    draw.fillStyle = this.#colour('--link');
    draw.fill();
  }

  #square(x: number, y: number, side: number): void {
    const draw = this.#draw;
    if (!draw) return;
    if (side < 8) return draw.fillRect(x, y, side, side);
    draw.beginPath();
    draw.roundRect(x, y, side, side, side * 0.18);
    draw.fill();
  }
}
