/** Keeps one copy of a text that is part of many rows: all devices of a group have the same configuration, which takes 2 kB. */

/** Maximum number of remembered texts; before a further one is added, all are forgotten. */
const MOST = 1000;

export class SharedTexts {
  readonly #texts = new Map<string, string>();

  /** Returns an equal text: the string of the first call with this text, if it is remembered. */
  of(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
