/**
 * The address of the page, which is in the fragment: `#/devices/019b…/messages?type=data` is page `devices` with the arguments
 * `019b…` and `messages`. The query is what the user has chosen on the page, so that Back, a reload and a shared link show the
 * same. Secrets and input that will be sent must not come here.
 */
import { signal } from '@preact/signals';

export interface Route {
  readonly page: string;
  /** Parts of the path after the page. */
  readonly rest: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

export const route = signal<Route>(routeOf(location.hash));

/** Follows the address from now on. */
export function followAddress(): void {
  addEventListener('hashchange', read);
  addEventListener('click', () => isBehind && write(), { capture: true });
  read();
}

function read(): void {
  isBehind = false;
  known = location.hash;
  route.value = routeOf(known);
}

export function go(...path: readonly string[]): void {
  if (isBehind) write();
  location.hash = address(...path);
}

/** `#/devices/019b…` */
export function address(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join('/')}`;
}

/** `#/fleet?search=cold` */
export function fleetAddress(search: string): string {
  return hashOf({ page: 'fleet', rest: [], query: new Map([['search', search]]) });
}

/** A text of the query, and a function that changes it. An empty text is left out of the address. */
export function textInAddress(name: string): readonly [text: string, set: (text: string) => void] {
  return [route.value.query.get(name) ?? '', (text) => put(name, text)];
}

/** One of some options. The first one is left out of the address, and stands for unknown ones. */
export function choiceInAddress<T extends string>(
  name: string,
  options: readonly [T, ...T[]],
): readonly [choice: T, choose: (choice: string) => void] {
  const [text, set] = textInAddress(name);
  const [first] = options;
  const choice = options.find((each) => each === text) ?? first;
  return [choice, (next) => set(next === first ? '' : next)];
}

/** Whether a part of the page is unfolded. @param id unique on its page, without commas */
export function openInAddress(id: string): readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const isOpen = idsIn(route.value).includes(id);
  return [
    isOpen,
    (next) => {
      const others = idsIn(route.peek()).filter((each) => each !== id);
      if (next !== isOpen) put(OPEN, (next ? [...others, id] : others).join(','));
    },
  ];
}

const OPEN = 'open';

function idsIn({ query }: Route): readonly string[] {
  return (query.get(OPEN) ?? '').split(',').filter((id) => id !== '');
}

function put(name: string, text: string): void {
  const query = new Map(route.peek().query);
  if (text === '') query.delete(name);
  else query.set(name, text);
  route.value = { ...route.peek(), query };
  isBehind = true;
  if (pause === undefined) write();
}

/** Least time between two changes of the address while the user types, in ms: browsers refuse more than ten a second. */
const PAUSE = 100;
let pause: ReturnType<typeof setTimeout> | undefined;
/** Whether the address lacks the latest change. */
let isBehind = false;
/** The fragment that {@link route} has been read from, or that was written for it. */
let known = location.hash;

/** Replaces the address in the history: Back leads to the page before, not through the letters of a search. */
function write(): void {
  isBehind = false;
  // Another page has been opened, and the event that says so is on its way.
  if (location.hash !== known) return;
  history.replaceState(history.state, '', hashOf(route.peek()));
  known = location.hash;
  clearTimeout(pause);
  pause = setTimeout(() => {
    pause = undefined;
    if (isBehind) write();
  }, PAUSE);
}

function hashOf({ page, rest, query }: Route): string {
  const text = new URLSearchParams([...query]).toString();
  return address(page, ...rest) + (text === '' ? '' : `?${text}`);
}

/** The route of a fragment, such as `location.hash`. */
export function routeOf(fragment: string): Route {
  const [, path = '', query = ''] = /^#?\/?([^?]*)\??(.*)$/s.exec(fragment) ?? [];
  const [page = '', ...rest] = path.split('/').map(decoded);
  return { page: page === '' ? 'overview' : page, rest, query: new Map(new URLSearchParams(query)) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
