/** The script of the HTML report, run on the few parts of a browser that it uses. */
import { describe, expect, it } from 'vitest';
import { SCRIPT } from '../../src/report/html/readout.js';

/** An element with the properties that the script uses. */
class Element {
  className = '';
  textContent = '';
  hidden = false;
  tabIndex = -1;
  offsetWidth = 0;
  readonly style: Record<string, string> = {};
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, (event: object) => void>();
  children: readonly Element[] = [];
  readonly found = new Map<string, Element>();

  constructor(readonly box = { left: 0, width: 0 }) {}

  append(...added: readonly Element[]): void {
    this.children = [...this.children, ...added];
  }
  replaceChildren(...all: readonly Element[]): void {
    this.children = all;
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  addEventListener(name: string, listener: (event: object) => void): void {
    this.listeners.set(name, listener);
  }
  querySelector(selector: string): Element | undefined {
    return this.found.get(selector);
  }
  getBoundingClientRect(): { readonly left: number; readonly width: number } {
    return this.box;
  }
  /** The text of the element and of those in it, with spaces between them. */
  get words(): string {
    return [this.textContent, ...this.children.map(({ words }) => words)].filter((text) => text !== '').join(' ');
  }
}

/** A plot whose left edge is at 100 pixels. It is 1,000 pixels wide, and its area is from 200 to 1,000. */
function plotOf(data: object): { readonly plot: Element; readonly tip: Element; readonly cursor: Element } {
  const plot = new Element({ left: 100, width: 1000 });
  const json = new Element();
  json.textContent = JSON.stringify({ areas: [[100, 800, 1000]], ...data });
  const wide = new Element();
  wide.offsetWidth = 1000;
  plot.found.set('script', json).set('.wide', wide);
  plot.found.set('.wide svg', new Element({ left: 100, width: 1000 }));
  const document = { querySelectorAll: () => [plot], createElement: () => new Element() };
  new Function('document', SCRIPT)(document);
  const [cursor, tip] = plot.children;
  if (cursor === undefined || tip === undefined) throw new Error('the script added nothing');
  return { plot, tip, cursor };
}

const DATA = {
  rows: [
    ['c1', 'stored'],
    ['band', 'outage'],
  ],
  points: [
    ['0 to 1m', '12', ''],
    ['1m to 2m', '13', 'active'],
    ['2m to 3m', '14', ''],
    ['3m to 4m', '15', ''],
  ],
};
const key = (name: string) => ({ key: name, preventDefault: () => {} });

describe('the script of the page', () => {
  it('shows nothing at first', () => {
    const { tip, cursor } = plotOf(DATA);
    expect([tip.hidden, cursor.hidden]).toEqual([true, true]);
  });

  it.each([
    [150, '0 to 1m stored 12'],
    [399, '0 to 1m stored 12'],
    [401, '1m to 2m stored 13 outage active'],
    [990, '3m to 4m stored 15'],
    [2000, '3m to 4m stored 15'],
  ])('shows the values at %d pixels', (clientX, words) => {
    const { plot, tip } = plotOf(DATA);
    for (const event of ['pointermove', 'pointerdown']) {
      plot.listeners.get(event)?.({ clientX });
      expect([tip.hidden, tip.words]).toEqual([false, words]);
    }
  });

  it('puts the values on the side with more room', () => {
    const { plot, tip, cursor } = plotOf(DATA);
    plot.listeners.get('pointermove')?.({ clientX: 210 });
    // The first quarter of the plot is from 200 to 400. Its middle is 300, which is 200 from the left edge of the plot at 100.
    expect([cursor.style.left, tip.style.left, tip.style.right]).toEqual(['200px', '210px', 'auto']);
    plot.listeners.get('pointermove')?.({ clientX: 990 });
    expect([cursor.style.left, tip.style.left, tip.style.right]).toEqual(['800px', 'auto', '210px']);
  });

  it('finds the values under the pointer if the positions of the plot have different widths', () => {
    const { plot, tip } = plotOf({ ...DATA, ends: [0.1, 0.9, 0.95, 1] });
    plot.listeners.get('pointermove')?.({ clientX: 800 });
    expect(tip.words).toContain('1m to 2m');
  });

  it('can be used with the keyboard, and is a slider for screen readers', () => {
    const { plot, tip } = plotOf(DATA);
    expect([plot.tabIndex, plot.attributes.get('role'), plot.attributes.get('aria-valuemax')]).toEqual([
      0,
      'slider',
      '3',
    ]);
    const press = (name: string) => plot.listeners.get('keydown')?.(key(name));
    press('ArrowRight');
    press('ArrowRight');
    expect(plot.attributes.get('aria-valuetext')).toBe('1m to 2m, stored 13, outage active');
    press('End');
    press('ArrowRight');
    expect(plot.attributes.get('aria-valuenow')).toBe('3');
    press('Home');
    press('ArrowLeft');
    expect(plot.attributes.get('aria-valuenow')).toBe('0');
    press('Escape');
    expect(tip.hidden).toBe(true);
  });

  it('hides the values when a mouse leaves, but not when a finger is lifted', () => {
    const { plot, tip } = plotOf(DATA);
    plot.listeners.get('pointerdown')?.({ clientX: 300 });
    plot.listeners.get('pointerleave')?.({ pointerType: 'touch' });
    expect(tip.hidden).toBe(false);
    plot.listeners.get('pointerleave')?.({ pointerType: 'mouse' });
    expect(tip.hidden).toBe(true);
  });
});
