/**
 * Finds a claim token in texts: twelve consecutive digits of it, as digits or as bytes, also with separators, or the whole
 * token in base64. One pass over each text, as a body has up to 1 MB and a page up to 100 of them.
 */

/**
 * Number of consecutive digits of a token that reveal it. In a memory dump, one line contains at least 16 of the 32 digits.
 * Other texts do not contain twelve of them by chance.
 */
const TELLING = 12;
/** Digits of a part. A part begins at every fourth digit, so any {@link TELLING} consecutive digits contain a whole one. */
const PART = 8;

/** Values of {@link DIGIT_OF}: a letter that ends a run of digits, and a character that does not. */
const [LETTER, SKIPPED] = [16, 17];
/** For each ASCII code, the value of a hex digit, or one of the values above. */
const DIGIT_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[0-9a-f]/i.test(char)) return Number.parseInt(char, 16);
  return /[g-z]/i.test(char) ? LETTER : SKIPPED;
});
/** For each ASCII code, the code of its character in base64; 0 for a separator. */
const BASE64_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code).replace('-', '+').replace('_', '/');
  return /[0-9a-z+/]/i.test(char) ? char.charCodeAt(0) : 0;
});

/** The characters of a text that are of base64. One for all texts, because most texts are short. */
let scratch = Buffer.alloc(1024);

export class TokenFinder {
  /** The last eight digits of what reveals the token, with the eight digits before them if those count too. */
  readonly #endings = new Map<number, number | undefined>();
  /** Marks the last four digits of {@link #endings}: few other texts need a look into the map. */
  readonly #lastFour = new Uint8Array(65_536);
  readonly #base64: readonly string[];

  /** @param token 32 hex digits */
  constructor(token: string) {
    for (let at = 0; at + TELLING - 4 <= token.length; at += 4) {
      const part = token.slice(at, at + PART);
      this.#add(part);
      for (const text of [part, part.toUpperCase()]) this.#add(Buffer.from(text).toString('hex'));
    }
    this.#base64 = [Buffer.from(token, 'hex'), Buffer.from(token), Buffer.from(token.toUpperCase())].flatMap(inBase64);
  }

  #add(digits: string): void {
    const last = Number.parseInt(digits.slice(-PART), 16);
    const before = digits.slice(0, -PART);
    this.#endings.set(last, before === '' ? undefined : Number.parseInt(before, 16));
    this.#lastFour[last & 0xffff] = 1;
  }

  isIn(text: string): boolean {
    if (text.length < TELLING) return false;
    if (text.length > scratch.length) scratch = Buffer.alloc(2 * text.length);
    let [length, run, before, last] = [0, 0, 0, 0];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) continue;
      const char = BASE64_OF[code] as number;
      if (char !== 0) scratch[length++] = char;
      const digit = DIGIT_OF[code] as number;
      if (digit === SKIPPED) continue;
      run = digit === LETTER ? 0 : run + 1;
      if (run === 0) continue;
      before = ((before << 4) | (last >>> 28)) >>> 0;
      last = ((last << 4) | digit) >>> 0;
      if (this.#lastFour[last & 0xffff] === 1 && this.#ends(run, before, last)) return true;
    }
    const needles = this.#base64.filter((needle) => needle.length <= length);
    if (needles.length === 0) return false;
    const found = scratch.subarray(0, length);
    return needles.some((needle) => found.includes(needle, 'latin1'));
  }

  #ends(run: number, before: number, last: number): boolean {
    if (run < PART || !this.#endings.has(last)) return false;
    const wanted = this.#endings.get(last);
    return wanted === undefined || (run >= 2 * PART && wanted === before);
  }
}

/**
 * The three forms of bytes in base64: their first byte may be at any place in a group of three. Characters that also depend on
 * neighbouring bytes are left out.
 */
function inBase64(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((skipped) => {
    const whole = bytes.subarray(skipped, skipped + 3 * Math.floor((bytes.length - skipped) / 3));
    return whole.toString('base64');
  });
}
