/** The presenter mode: the page for a large screen in a meeting, without controls. The address has `?present`. */
import { go, route } from './route.js';

export const isPresenting = new URLSearchParams(location.search).has('present');

/** The pages to present, in their order. */
const PAGES = ['overview', 'downlinks', 'run'];

/** The keys of a presenter's remote control, and of the keyboard, each with the number of pages to go on. */
const STEPS: Readonly<Record<string, number>> = { PageDown: 1, PageUp: -1 };

/**
 * Marks the document for the style sheets. Page Down and Page Up change the page, Escape leaves the mode.
 * @param hasPage whether the console has a page at present
 */
export function startPresenting(hasPage: (page: string) => boolean): void {
  if (!isPresenting) return;
  document.documentElement.dataset.present = '';
  addEventListener('keydown', (event) => {
    const { key } = event;
    if (key === 'Escape') location.href = `${location.pathname}${location.hash}`;
    const step = STEPS[key];
    if (step === undefined) return;
    event.preventDefault();
    // From any other page, such as that of a device, back to the first one.
    const pages = PAGES.filter(hasPage);
    const at = pages.indexOf(route.value.page);
    go(pages[at === -1 ? 0 : (at + step + pages.length) % pages.length] ?? 'overview');
  });
}
