/**
 * The line at the bottom of a terminal: editing, history, and output above it. A key arrives as the text that xterm.js sends
 * for it.
 */

/** Shows texts above the line. */
export interface Screen {
  /** Number of characters in a row. */
  readonly columns: number;
  /** Writes lines above the line that is being entered. */
  print(text: string, tone?: Tone): void;
}
export type Tone = 'plain' | 'dim' | 'failed';

export interface LineEditorOptions {
  /** Lines that the arrow keys recall, oldest first. The editor adds new lines. */
  readonly history: string[];
  /** The line that is being typed, which begins as it is here. */
  readonly typed: { line: string };
  /** Width of the terminal. */
  readonly columns: () => number;
  /** Writes to the terminal. */
  readonly write: (text: string) => void;
  /** Called for each line. */
  readonly enter: (line: string) => void;
  /** Words that can follow at the end of a line. */
  readonly complete: (line: string) => Promise<readonly string[]>;
}

const COLOURS: Readonly<Record<Tone, string>> = { plain: '', dim: '\x1b[90m', failed: '\x1b[31m' };
const RESET = '\x1b[0m';
/** Control sequences and control characters, which are removed from pasted text. White space becomes blanks before. */
const UNWANTED = /\p{Cc}(?:\[[0-9;]*[A-Za-z~])?/gu;

export class LineEditor implements Screen {
  readonly #options: LineEditorOptions;
  #prompt = '';
  #at: number;
  #shown: number | undefined;

  constructor(options: LineEditorOptions) {
    this.#options = options;
    this.#at = this.#line.length;
  }

  get #line(): string {
    return this.#options.typed.line;
  }

  set #line(line: string) {
    this.#options.typed.line = line;
  }

  get columns(): number {
    return this.#options.columns();
  }

  /** Shows another prompt. The typed line stays. */
  ask(prompt: string): void {
    this.#prompt = prompt;
    this.#draw();
  }

  /** Enters a line as if the user had typed it. The line that the user is typing stays. */
  submit(line: string): void {
    this.#enter(line);
    this.#draw();
  }

  print(text: string, tone: Tone = 'plain'): void {
    const lines = text.replace(/\r?\n/g, '\r\n');
    this.#options.write(`\r\x1b[K${COLOURS[tone]}${lines}${RESET}\r\n`);
    this.#draw();
  }

  /** Takes keys and pasted text. */
  type(keys: string): void {
    const key = KEYS[keys];
    if (key) this.#press(key);
    else for (const [i, part] of keys.split(/\r\n|\r|\n/).entries()) this.#insert(part, i > 0);
    this.#draw();
  }

  #insert(text: string, isNewLine: boolean): void {
    if (isNewLine) this.#press('enter');
    const plain = text.replace(/[\t\v\f]/g, ' ').replace(UNWANTED, '');
    this.#line = this.#line.slice(0, this.#at) + plain + this.#line.slice(this.#at);
    this.#at += plain.length;
  }

  #press(key: Key): void {
    switch (key) {
      case 'enter': {
        const line = this.#line;
        this.#put('');
        return this.#enter(line);
      }
      case 'back':
        return this.#remove(this.#previous(), this.#at);
      case 'delete':
        return this.#remove(this.#at, this.#next());
      case 'left':
        this.#at = this.#previous();
        return;
      case 'right':
        this.#at = this.#next();
        return;
      case 'home':
        this.#at = 0;
        return;
      case 'end':
        this.#at = this.#line.length;
        return;
      case 'up':
        return this.#recall((this.#shown ?? this.#options.history.length) - 1);
      case 'down':
        return this.#recall((this.#shown ?? this.#options.history.length) + 1);
      case 'clear':
        return this.#put('');
      case 'tab':
        void this.#complete();
        return;
      default:
        return key satisfies never;
    }
  }

  #remove(from: number, to: number): void {
    this.#line = this.#line.slice(0, from) + this.#line.slice(to);
    this.#at = from;
  }

  /** Where the character before the cursor begins. */
  #previous(): number {
    return CHARACTERS.segment(this.#line).containing(this.#at - 1)?.index ?? 0;
  }

  /** Where the character at the cursor ends. */
  #next(): number {
    const character = CHARACTERS.segment(this.#line).containing(this.#at);
    return character === undefined ? this.#line.length : character.index + character.segment.length;
  }

  #enter(line: string): void {
    const { history, write, enter } = this.#options;
    write(`\r\x1b[K${this.#prompt}${line}\r\n`);
    if (line.trim() !== '' && history.at(-1) !== line) history.push(line);
    this.#shown = undefined;
    enter(line);
  }

  /** Completes the last word as far as all its completions agree. If they agree on no further character, prints their list. */
  async #complete(): Promise<void> {
    const line = this.#line;
    const words = await this.#options.complete(line).catch(() => []);
    // Discards completions if the user has continued to type.
    if (line !== this.#line || words.length === 0) return;
    const typed = /\S*$/.exec(line)?.[0] ?? '';
    const [first = [], ...others] = words.map(charactersOf);
    const differs = first.findIndex((character, i) => others.some((other) => other[i] !== character));
    const shared = first.slice(0, differs === -1 ? undefined : differs).join('');
    const isFound = shared.startsWith(typed) && shared.length > typed.length;
    if (isFound) this.#put(line.slice(0, line.length - typed.length) + shared + (words.length === 1 ? ' ' : ''));
    else if (words.length > 1) this.print(words.join('  '), 'dim');
    this.#draw();
  }

  #recall(index: number): void {
    if (index < 0) return;
    this.#shown = Math.min(index, this.#options.history.length);
    this.#put(this.#options.history[this.#shown] ?? '');
  }

  #put(line: string): void {
    this.#line = line;
    this.#at = line.length;
  }

  /** Draws the part of the line around the cursor that fits into a row. */
  #draw(): void {
    const room = Math.max(1, this.columns - widthOf(this.#prompt) - 1);
    const before = takeFitting(charactersOf(this.#line.slice(0, this.#at)).reverse(), room)
      .reverse()
      .join('');
    const after = takeFitting(charactersOf(this.#line.slice(this.#at)), room - widthOf(before)).join('');
    // The terminal alone knows how wide it draws a character, so the cursor is put behind the text before it.
    const back = after === '' ? '' : `\r${this.#prompt}${before}`;
    this.#options.write(`\r\x1b[K${this.#prompt}${before}${after}${back}`);
  }
}

/** Splits into what a user takes for one character: an emoji is several code points. */
const CHARACTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function charactersOf(text: string): string[] {
  return Array.from(CHARACTERS.segment(text), ({ segment }) => segment);
}

/** The first characters that fit into a width. */
function takeFitting(characters: readonly string[], room: number): string[] {
  let width = 0;
  const end = characters.findIndex((character) => {
    width += widthOf(character);
    return width > room;
  });
  return characters.slice(0, end === -1 ? undefined : end);
}

/** The largest number of columns that a terminal may use: two for each code point outside ASCII. */
function widthOf(text: string): number {
  let width = 0;
  for (const point of text) width += point <= '~' ? 1 : 2;
  return width;
}

type Key = 'enter' | 'back' | 'delete' | 'left' | 'right' | 'home' | 'end' | 'up' | 'down' | 'clear' | 'tab';

const KEYS: Readonly<Record<string, Key>> = {
  '\r': 'enter',
  '\x7f': 'back',
  '\x1b[3~': 'delete',
  '\x1b[D': 'left',
  '\x1b[C': 'right',
  '\x1b[H': 'home',
  '\x1b[F': 'end',
  '\x1b[A': 'up',
  '\x1b[B': 'down',
  '\x03': 'clear',
  '\x15': 'clear',
  '\t': 'tab',
};
