/**
 * Texts that the browser keeps for the page. It may refuse to: site data can be blocked, and the storage can be full. The page
 * then keeps them itself, until it is closed or loaded again.
 */

/** The part of `Storage` that is used. */
interface Texts {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
  removeItem(key: string): void;
}

class Kept {
  readonly #storage: () => Texts;
  /** The texts that the browser did not take; undefined stands for a deleted one. */
  readonly #refused = new Map<string, string | undefined>();

  /** @param storage throws if site data is blocked */
  constructor(storage: () => Texts) {
    this.#storage = storage;
  }

  get(key: string): string | undefined {
    if (this.#refused.has(key)) return this.#refused.get(key);
    try {
      return this.#storage().getItem(key) ?? undefined;
    } catch {
      return undefined;
    }
  }

  /** @param text undefined deletes it */
  set(key: string, text: string | undefined): void {
    try {
      if (text === undefined) this.#storage().removeItem(key);
      else this.#storage().setItem(key, text);
      this.#refused.delete(key);
    } catch {
      this.#refused.set(key, text);
    }
  }
}

// The cast is needed because tests load this file without the types of browsers.
const browser = globalThis as unknown as { readonly localStorage: Texts; readonly sessionStorage: Texts };

/** Kept until the tab is closed. */
export const ofTab = new Kept(() => browser.sessionStorage);
/** Kept for all tabs and for later visits. */
export const ofBrowser = new Kept(() => browser.localStorage);
