/**
 * The scenarios that the user writes, each in a tab of the page. The browser keeps them for later visits. Other windows of the
 * browser may have them open, too: a change is written into the stored list, so that no window removes the drafts of another. If
 * two windows change the same draft, the second one asks which text to keep.
 */
import { signal } from '@preact/signals';

export interface Draft {
  readonly id: string;
  readonly text: string;
}

/** The part of platform/storage.ts that is used. */
export interface Texts {
  get(key: string): string | undefined;
  set(key: string, text: string | undefined): void;
}

const KEY = 'ghostfleet.drafts';
const SHOWN = 'ghostfleet.draft';
const MOST = 20;

export const FIRST = `# A small scenario to begin with. Ctrl-Space completes.
name: mine
duration: 2h

fleet:
  - { name: cellar, profile: clime, count: 20, boot: { over: 5m }, config: { interval-report: 900 } }

network:
  latency: 150ms..900ms
  faults:
    - { outage: both, from: 30m, until: 1h, to: cellar }

steps:
  - { at: 35m, to: cellar, over: 10m, commands: [info show] }

expect:
  - device.ready == fleet.devices
  - downlink.delivered p(95) < 1h
`;

export class Drafts {
  readonly all = signal<readonly Draft[]>([]);
  readonly shown = signal('');
  /** The draft that was closed last, for {@link reopen}. */
  readonly closed = signal<Draft | undefined>(undefined);
  /** The texts of drafts that another window has changed meanwhile, by id. The text of this window is then not stored. */
  readonly others = signal<ReadonlyMap<string, string>>(new Map());
  /** Number of such texts that have replaced the text of this window. */
  readonly taken = signal(0);
  readonly #store: Texts;
  readonly #newId: () => string;

  /** @param store of the browser @param tab keeps which draft this window shows */
  constructor(store: Texts, tab: Texts, newId: () => string) {
    this.#store = store;
    this.#newId = newId;
    this.all.value = this.#stored();
    const last = tab.get(SHOWN);
    const first = this.all.value.find(({ id }) => id === last) ?? this.all.value[0];
    if (first) this.shown.value = first.id;
    else this.open(FIRST);
    this.shown.subscribe((id) => tab.set(SHOWN, id));
  }

  /** The text of the draft that is shown. */
  get text(): string {
    return this.all.value.find(({ id }) => id === this.shown.value)?.text ?? '';
  }

  /** Shows a text in a tab of its own, unless a tab has it already. @throws Error if too many tabs are open */
  open(text: string): void {
    const same = this.all.value.find((each) => each.text === text);
    if (same === undefined && this.all.value.length >= MOST) {
      throw new Error(`at most ${MOST} scenarios can be open; close one first`);
    }
    const { id } = same ?? this.#put({ id: this.#newId(), text });
    this.shown.value = id;
  }

  change(id: string, text: string): void {
    this.look(id);
    if (this.others.value.has(id)) this.#replace({ id, text });
    else this.#put({ id, text });
  }

  /** Looks whether another window has changed a draft. */
  look(id: string): void {
    const own = this.all.value.find((each) => each.id === id);
    const stored = this.#stored().find((each) => each.id === id);
    const isSame = own === undefined || stored === undefined || own.text === stored.text;
    if (isSame && !this.others.value.has(id)) return;
    const others = new Map(this.others.value);
    if (isSame) others.delete(id);
    else others.set(id, stored.text);
    this.others.value = others;
  }

  /** Stores the text of this window in place of that of another. */
  keepOwn(id: string): void {
    const own = this.all.value.find((each) => each.id === id);
    if (own) this.#put(own);
    this.look(id);
  }

  /** Shows the text of another window in place of that of this one. */
  takeOther(id: string): void {
    const stored = this.#stored().find((each) => each.id === id);
    if (stored) this.#replace(stored);
    this.taken.value++;
    this.look(id);
  }

  close(id: string): void {
    const { value: before } = this.all;
    const at = before.findIndex((each) => each.id === id);
    const draft = before[at];
    if (draft === undefined) return;
    this.closed.value = draft;
    this.#write(this.#stored().filter((each) => each.id !== id));
    if (this.shown.value !== id) return;
    const next = this.all.value[Math.min(at, this.all.value.length - 1)];
    if (next) this.shown.value = next.id;
    else this.open(FIRST);
  }

  /** Undoes {@link close}. */
  reopen(): void {
    const { value: draft } = this.closed;
    if (draft === undefined) return;
    this.closed.value = undefined;
    this.#put(draft);
    this.shown.value = draft.id;
  }

  #put(draft: Draft): Draft {
    const stored = this.#stored();
    const isKnown = stored.some(({ id }) => id === draft.id);
    this.#write(isKnown ? stored.map((each) => (each.id === draft.id ? draft : each)) : [...stored, draft]);
    return draft;
  }

  #write(drafts: readonly Draft[]): void {
    this.#store.set(KEY, JSON.stringify(drafts));
    const own = (id: string) => (this.others.value.has(id) ? this.all.value.find((each) => each.id === id) : undefined);
    this.all.value = drafts.map((each) => own(each.id) ?? each);
  }

  /** Changes a draft in this window only. */
  #replace(draft: Draft): void {
    this.all.value = this.all.value.map((each) => (each.id === draft.id ? draft : each));
  }

  #stored(): readonly Draft[] {
    try {
      const read: unknown = JSON.parse(this.#store.get(KEY) ?? '[]');
      return Array.isArray(read) ? read.filter(isDraft) : [];
    } catch {
      return [];
    }
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null || !('id' in value && 'text' in value)) return false;
  return typeof value.id === 'string' && typeof value.text === 'string';
}

/** The name of the scenario; `untitled` without one. */
export function draftName(text: string): string {
  return /^name:\s*["']?([\w.-]+)/m.exec(text)?.[1] ?? 'untitled';
}
