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
/** Control sequences and control characters, which are removed from pasted text. */
const UNWANTED = /\p{Cc}(?:\[[0-9;]*[A-Za-z~])?/gu;

export class LineEditor implements Screen {
  readonly #options: LineEditorOptions;
  #prompt = '';
  #line = '';
  #at = 0;
  #shown: number | undefined;

  constructor(options: LineEditorOptions) {
    this.#options = options;
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
    const plain = text.replace(UNWANTED, '');
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
        if (this.#at === 0) return;
        this.#line = this.#line.slice(0, this.#at - 1) + this.#line.slice(this.#at);
        this.#at--;
        return;
      case 'delete':
        this.#line = this.#line.slice(0, this.#at) + this.#line.slice(this.#at + 1);
        return;
      case 'left':
        this.#at = Math.max(0, this.#at - 1);
        return;
      case 'right':
        this.#at = Math.min(this.#line.length, this.#at + 1);
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
    const shared = words.reduce((common, word) => {
      let length = 0;
      while (length < common.length && common[length] === word[length]) length++;
      return common.slice(0, length);
    });
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
    const room = Math.max(1, this.columns - this.#prompt.length - 1);
    const from = Math.max(0, this.#at - room);
    const shown = this.#line.slice(from, from + room);
    const back = shown.length - (this.#at - from);
    this.#options.write(`\r\x1b[K${this.#prompt}${shown}${back > 0 ? `\x1b[${back}D` : ''}`);
  }
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
