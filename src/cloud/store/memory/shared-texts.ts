/**
 * Texts that many rows have are kept once: the configuration of all devices of a group is the same, and takes 2 kB.
 */

/** Maximum number of remembered texts; with a further one, the memory begins anew. */
const MOST = 1000;

export class SharedTexts {
  readonly #texts = new Map<string, string>();

  /** The same text; the object of an earlier one that was equal. */
  of(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
