/**
 * Selections of devices: `fw<3.1 & battery<20`, `cellar | tag=cold & !state=off`, `clime-00*`, `*`.
 *
 *     selection = both { "|" both }
 *     both      = one { "&" one }
 *     one       = "!" one | "(" selection ")" | field operator value | word
 *
 * A word alone is a name, a group or a serial number. `*` stands for any characters, also within a word. What has other
 * characters than a word is put in quotation marks.
 */

import { didYouMean, orList, quote } from '../input/problems.js';
import { UsageError } from '../kernel/errors.js';
import type { Candidate } from './member.js';
import { FIELDS, OPERATORS, type Operator, pattern } from './selector-fields.js';

/** Whether a device is among those that were meant. */
type Selector = (device: Candidate) => boolean;

/** What is wrong with a selection, and in which column, from 1. */
export class SelectionError extends UsageError {
  readonly column: number;

  constructor(text: string, column: number, message: string) {
    super('bad-selection', `column ${column} of the selection: ${message}`, `  ${text}\n  ${' '.repeat(column - 1)}^`);
    this.name = 'SelectionError';
    this.column = column;
  }
}

/** @throws SelectionError for the first thing that is wrong */
export function parseSelector(text: string): Selector {
  return new Parser(text).all();
}

/**
 * Takes `fw<3.1 : info show` apart, at the first colon between spaces that is not in quotation marks.
 * @returns no selection when there is no such colon
 */
export function splitLine(line: string): { readonly selection?: string; readonly command: string } {
  let quoted: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (quoted !== undefined) quoted = char === quoted ? undefined : quoted;
    else if (char === '"' || char === "'") quoted = char;
    else if (char === ':' && (line[i - 1] ?? ' ') === ' ' && (line[i + 1] ?? ' ') === ' ') {
      return { selection: line.slice(0, i).trimEnd(), command: line.slice(i + 1).trim() };
    }
  }
  return { command: line.trim() };
}

interface Token {
  readonly kind: 'word' | 'sign' | 'end';
  readonly text: string;
  readonly column: number;
}

const SIGNS = ['<=', '>=', '!=', '<', '>', '=', '(', ')', '&', '|', '!'];
const WORD = /^[^\s()&|!<>="']+/;
/** Deeper in parentheses nobody thinks; recursion must not reach the end of the stack. */
const DEEPEST = 100;

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = this.#split();
  }

  all(): Selector {
    const selector = this.#either();
    const left = this.#peek();
    if (left.kind !== 'end') this.#fail(left, `${quote(left.text)} stands where "&", "|" or the end was wanted`);
    return selector;
  }

  #either(): Selector {
    const parts = [this.#both()];
    while (this.#skip('|')) parts.push(this.#both());
    return parts.length === 1 && parts[0] ? parts[0] : (device) => parts.some((part) => part(device));
  }

  #both(): Selector {
    const parts = [this.#one()];
    while (this.#skip('&')) parts.push(this.#one());
    return parts.length === 1 && parts[0] ? parts[0] : (device) => parts.every((part) => part(device));
  }

  #one(): Selector {
    const token = this.#peek();
    if (++this.#depth > DEEPEST) this.#fail(token, `it is nested deeper than ${DEEPEST} levels`);
    const selector = this.#term(token);
    this.#depth--;
    return selector;
  }

  #term(token: Token): Selector {
    if (this.#skip('!')) {
      const inner = this.#one();
      return (device) => !inner(device);
    }
    if (this.#skip('(')) {
      const inner = this.#either();
      if (!this.#skip(')')) this.#fail(this.#peek(), `the ")" is missing for the "(" in column ${token.column}`);
      return inner;
    }
    if (token.kind !== 'word') {
      const what = token.kind === 'end' ? 'it ends' : `${quote(token.text)} stands`;
      this.#fail(token, `${what} where a name, "field=value", "!" or "(" was wanted`);
    }
    this.#next++;
    const operator = OPERATORS.find((known) => this.#skip(known));
    return operator === undefined ? named(token.text) : this.#comparison(token, operator);
  }

  #comparison(name: Token, operator: Operator): Selector {
    const field = FIELDS.get(name.text);
    if (field === undefined) {
      const names = [...FIELDS.keys()];
      this.#fail(name, `${quote(name.text)} is not a field${didYouMean(name.text, names)}; there are ${orList(names)}`);
    }
    const value = this.#peek();
    if (value.kind !== 'word') this.#fail(value, `${name.text}${operator} wants ${field.wanted}`);
    this.#next++;
    if (!field.operators.includes(operator)) {
      this.#fail(name, `${name.text} can only be compared with ${orList(field.operators)}`);
    }
    const selector = field.compare(operator, value.text);
    return selector ?? this.#fail(value, `${quote(value.text)} is not ${field.wanted}`);
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', column: this.#text.length + 1 };
  }

  #skip(sign: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== 'sign' || text !== sign) return false;
    this.#next++;
    return true;
  }

  #split(): readonly Token[] {
    const tokens: Token[] = [];
    for (let i = 0; i < this.#text.length; ) {
      const rest = this.#text.slice(i);
      const column = i + 1;
      const [mark = ''] = rest;
      const sign = SIGNS.find((known) => rest.startsWith(known));
      if (mark.trim() === '') i++;
      else if (sign !== undefined) {
        tokens.push({ kind: 'sign', text: sign, column });
        i += sign.length;
      } else if (mark === '"' || mark === "'") {
        const end = rest.indexOf(mark, 1);
        if (end < 0) this.#fail({ column }, `the quotation mark ${mark} is not closed`);
        tokens.push({ kind: 'word', text: rest.slice(1, end), column });
        i += end + 1;
      } else {
        // Because what is no space, sign or mark is a character of a word.
        const [word = mark] = WORD.exec(rest) ?? [];
        tokens.push({ kind: 'word', text: word, column });
        i += word.length;
      }
    }
    return tokens;
  }

  #fail({ column }: Pick<Token, 'column'>, message: string): never {
    throw new SelectionError(this.#text, column, message);
  }
}

/** A name, a group or a serial number. */
function named(word: string): Selector {
  const fits = pattern(word);
  return ({ name, group, serial }) => fits(name) || fits(group) || fits(String(serial));
}
