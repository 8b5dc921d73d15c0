/**
 * Keeps one copy of a text that is part of many rows: for example, all devices of a group have the same 2 kB of configuration.
 */

/** Maximum number of remembered texts. If it is reached, all texts are forgotten before the next one is added. */
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
