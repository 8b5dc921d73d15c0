/**
 * The path of the page, which is in the fragment of the address: `#/devices/019b…` is page `devices` with the argument
 * `019b…`.
 */
import { signal } from '@preact/signals';

export interface Route {
  readonly page: string;
  /** Parts of the path after the page. */
  readonly rest: readonly string[];
}

export const route = signal<Route>(read());

/** Follows the address from now on. */
export function followAddress(): void {
  addEventListener('hashchange', () => {
    route.value = read();
  });
  route.value = read();
}

export function go(...path: readonly string[]): void {
  location.hash = address(...path);
}

/** `#/devices/019b…` */
export function address(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join('/')}`;
}

function read(): Route {
  const [page = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decoded);
  return { page: page === '' ? 'overview' : page, rest };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
