/**
 * The only script of the page: shows the values of a plot under the pointer. Each plot contains its values as texts, formatted
 * by the same functions as in the rest of the report. The script only finds the position and shows its texts. It works with a
 * mouse, by touch, and with the keyboard (arrow keys, Home, End, Escape). Without JavaScript, only the values under the pointer
 * are missing.
 */
import { type Markup, writeData } from './markup.js';

/** The values of a plot, from left to right. */
export interface Readout {
  /** The rows of every position: CSS class of the colour, and name. */
  readonly rows: readonly (readonly [look: string, name: string])[];
  /** For each position its name and one value per row; a row with an empty value is left out. */
  readonly points: readonly (readonly [name: string, ...values: string[]])[];
  /** The right end of each position, from 0 at the left axis to 1 at the right end. Default: all positions are equally wide */
  readonly ends?: readonly number[];
}

/** @param areas for wide and for narrow screens: left edge of the plot area, its width, and the width of the whole drawing */
export function writeReadout({ rows, points, ends }: Readout, areas: readonly (readonly number[])[]): Markup {
  return writeData({ areas, rows, points, ends });
}

export const SCRIPT = `
for (const plot of document.querySelectorAll('.plot')) {
  const { areas, rows, points, ends } = JSON.parse(plot.querySelector('script').textContent);
  const make = (name, look, text = '') => {
    const made = document.createElement(name);
    made.className = look;
    made.textContent = text;
    return made;
  };
  const [cursor, tip] = [make('div', 'cursor'), make('div', 'tip')];
  const endOf = (i) => (ends ? ends[i] : (i + 1) / points.length);
  const startOf = (i) => (i === 0 ? 0 : endOf(i - 1));
  let at = -1;
  plot.append(cursor, tip);
  plot.tabIndex = 0;
  plot.setAttribute('role', 'slider');
  plot.setAttribute('aria-valuemin', '0');
  plot.setAttribute('aria-valuemax', String(points.length - 1));
  const axes = () => {
    const narrow = plot.querySelector('.wide').offsetWidth === 0;
    const drawing = plot.querySelector(narrow ? '.narrow svg' : '.wide svg').getBoundingClientRect();
    const [left, width, whole] = areas[narrow ? 1 : 0];
    const scale = drawing.width / whole;
    return { left: drawing.left + left * scale, width: width * scale };
  };
  const hide = () => {
    at = -1;
    cursor.hidden = tip.hidden = true;
  };
  const show = (i) => {
    at = Math.max(0, Math.min(points.length - 1, i));
    const [name, ...values] = points[at];
    const lines = values.flatMap((value, row) => (value === '' ? [] : [[...rows[row], value]]));
    tip.replaceChildren(make('strong', '', name), ...lines.map(([look, title, value]) => {
      const line = make('div', '');
      line.append(make('i', 'key ' + look), make('span', '', title), make('b', '', value));
      return line;
    }));
    plot.setAttribute('aria-valuenow', String(at));
    plot.setAttribute('aria-valuetext', [name, ...lines.map(([, title, value]) => title + ' ' + value)].join(', '));
    const { left, width } = axes();
    const own = plot.getBoundingClientRect();
    const x = left - own.left + (width * (startOf(at) + endOf(at))) / 2;
    const before = x > own.width / 2;
    cursor.style.left = x + 'px';
    tip.style.left = before ? 'auto' : x + 10 + 'px';
    tip.style.right = before ? own.width - x + 10 + 'px' : 'auto';
    cursor.hidden = tip.hidden = false;
  };
  const point = ({ clientX }) => {
    const { left, width } = axes();
    const share = (clientX - left) / width;
    let i = 0;
    while (i < points.length - 1 && endOf(i) <= share) i++;
    show(i);
  };
  const keys = {
    ArrowLeft: () => at - 1,
    ArrowRight: () => at + 1,
    PageUp: () => at - 10,
    PageDown: () => at + 10,
    Home: () => 0,
    End: () => points.length - 1,
  };
  hide();
  plot.addEventListener('pointermove', point);
  plot.addEventListener('pointerdown', point);
  plot.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && hide());
  plot.addEventListener('blur', hide);
  plot.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    show(keys[event.key]());
  });
}
`;
