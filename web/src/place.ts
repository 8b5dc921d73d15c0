/**
 * The place on a page: how far it is scrolled, and the link that the user has followed. Back and Forward restore both, a reload
 * the first. What browsers do themselves is not enough, because the content of a page comes after the page.
 */
import { ofTab } from './platform/storage.js';
import { routeOf } from './route.js';

interface Place {
  /** In px, by the names of the boxes that scroll. */
  readonly scrolled: Readonly<Record<string, number>>;
  /** The address that the user has opened from here. */
  readonly opened?: string | undefined;
  /** Which link to this address it was, from 0; undefined if it was no link. */
  readonly link?: number | undefined;
}

const KEY = 'ghostfleet.places';
/** Maximum number of entries of the history whose places are kept. */
const MOST = 50;
/** How long content is awaited, in ms. */
const PATIENCE = 10_000;
/** What a user does who has gone on. */
const ACTIONS = ['pointerdown', 'wheel', 'keydown', 'touchstart'] as const;

const places = new Map(stored());
/** The entry of the history that is shown. */
let entry = 0;
let restored: Place | undefined;
let stop = (): void => {};

/** Keeps and restores places from now on. */
export function followPlaces(): void {
  history.scrollRestoration = 'manual';
  const known = enter();
  addEventListener('hashchange', () => {
    // The old page is still in the document.
    const before = entry;
    const isNew = enter() === undefined;
    keep(before, isNew ? openedNow() : (places.get(before) ?? {}));
    arrive(isNew ? undefined : places.get(entry));
  });
  addEventListener('pagehide', () => {
    keep(entry, {});
    ofTab.set(KEY, JSON.stringify([...places].slice(-MOST)));
  });
  if (known !== undefined) arrive(places.get(known));
}

/**
 * The first argument of a page, such as the id of a device, that the user had opened from the page that is shown again.
 * @param isLink whether a link had opened it, which gets the focus without this
 */
export function openedFromHere(page: string, isLink: boolean): string | undefined {
  if (restored?.opened === undefined || (restored.link !== undefined) !== isLink) return undefined;
  const opened = routeOf(restored.opened);
  return opened.page === page ? opened.rest[0] : undefined;
}

/** Notes which entry of the history is shown. @returns undefined if it is a new one */
function enter(): number | undefined {
  // The cast is safe because only this function writes the state.
  const known = (history.state as { readonly entry: number } | null)?.entry;
  entry = known ?? Math.max(Date.now(), entry + 1);
  if (known === undefined) history.replaceState({ entry }, '');
  return known;
}

function keep(left: number, opened: Pick<Place, 'opened' | 'link'>): void {
  const scrolled = Object.fromEntries(
    boxes().flatMap(({ name, box }) => (box.scrollTop > 0 ? [[name, box.scrollTop]] : [])),
  );
  places.delete(left);
  places.set(left, { ...opened, scrolled });
}

/** The address is already that of the opened page. */
function openedNow(): Pick<Place, 'opened' | 'link'> {
  const { activeElement } = document;
  const opened = location.hash;
  // Some browsers give a clicked link no focus.
  const at = linksTo(opened).findIndex((link) => link.contains(activeElement));
  return { opened, link: activeElement?.tagName === 'CANVAS' ? undefined : Math.max(0, at) };
}

/** Restores a place as soon as the page has the content for it, unless the user acts before. @param place undefined: the top */
function arrive(place: Place | undefined): void {
  stop();
  restored = place;
  const observer = new MutationObserver(() => isRestored(place) && stop());
  const frame = requestAnimationFrame(() => {
    if (isRestored(place)) return stop();
    observer.observe(document.body, { subtree: true, childList: true });
  });
  const timer = setTimeout(() => stop(), PATIENCE);
  stop = () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    clearTimeout(timer);
    for (const action of ACTIONS) removeEventListener(action, stop, { capture: true });
    restored = undefined;
  };
  for (const action of ACTIONS) addEventListener(action, stop, { capture: true });
}

function isRestored({ scrolled, opened, link }: Place = { scrolled: {} }): boolean {
  const open = new Map(Object.entries({ [PAGE]: 0, ...scrolled }));
  for (const { name, box } of boxes()) {
    const top = open.get(name);
    if (top === undefined) continue;
    box.scrollTop = top;
    if (Math.abs(box.scrollTop - top) < 2) open.delete(name);
  }
  if (opened === undefined || link === undefined) return open.size === 0;
  const links = linksTo(opened);
  const followed = links[link] ?? links[0];
  if (!followed) return false;
  followed.focus({ preventScroll: true });
  if (!isSeen(followed)) followed.scrollIntoView({ block: 'center' });
  return true;
}

/** Whether neither the edge of a box nor a heading hides it. */
function isSeen(element: HTMLElement): boolean {
  const { left, top, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + 1, top + height / 2));
}

const PAGE = 'page';

/** The page and its parts that scroll: they have a name and can have the focus, for the keyboard and screen readers. */
function boxes(): readonly { readonly name: string; readonly box: Element }[] {
  const parts = [...document.querySelectorAll('main [tabindex="0"][aria-label]')];
  const page = document.querySelector('main');
  return [
    ...(page ? [{ name: PAGE, box: page }] : []),
    ...parts.map((box) => ({ name: `part ${box.getAttribute('aria-label')}`, box })),
  ];
}

function linksTo(opened: string): readonly HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('main a')].filter(({ hash }) => hash === opened);
}

function stored(): readonly (readonly [number, Place])[] {
  try {
    // The cast is safe because only this file writes the text.
    return JSON.parse(ofTab.get(KEY) ?? '[]') as [number, Place][];
  } catch {
    return [];
  }
}
