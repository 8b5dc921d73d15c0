/**
 * What the user has entered in forms and not sent yet. The browser keeps it for this tab: it survives a link, Back, Escape and a
 * reload, until the form is sent or cancelled, or the user signs out. Secrets and files must not come here.
 */
import { ofTab } from '../platform/storage.js';
import type { Texts } from './drafts.js';

/** The fields that differ from their initial values, by name. */
export type Entered = ReadonlyMap<string, string | boolean>;

const KEY = 'ghostfleet.inputs';
/** Maximum number of forms; the one that was changed longest ago is forgotten first. */
const MOST = 50;

export class Inputs {
  readonly #store: Texts;

  constructor(store: Texts) {
    this.#store = store;
  }

  /** @param form name of the form; undefined if nothing is kept for it */
  get(form: string): Entered | undefined {
    return this.#stored().get(form);
  }

  /** @param entered without fields: the form is forgotten */
  put(form: string, entered: Entered): void {
    const all = this.#stored();
    all.delete(form);
    if (entered.size > 0) all.set(form, entered);
    const kept = [...all].slice(-MOST).map(([name, fields]) => [name, [...fields]]);
    this.#store.set(KEY, kept.length === 0 ? undefined : JSON.stringify(kept));
  }

  forget(form: string): void {
    if (this.get(form)) this.put(form, new Map());
  }

  forgetAll(): void {
    this.#store.set(KEY, undefined);
  }

  #stored(): Map<string, Entered> {
    try {
      // The cast is safe because only `put` writes the text; another one fails here or shows no values.
      const read = JSON.parse(this.#store.get(KEY) ?? '[]') as [string, [string, string | boolean][]][];
      return new Map(read.map(([form, fields]) => [form, new Map(fields)]));
    } catch {
      return new Map();
    }
  }
}

export const inputs = new Inputs(ofTab);
