/**
 * The grammar of selectors, for scenarios and consoles:
 *
 *     selector = both { "|" both }                cellar | tag/cold & !profile=push
 *     both     = one { "&" one }
 *     one      = "!" one | "(" selector ")" | percent [ "of" one ] | field operator value | word
 *
 * A word is one of:
 *
 *     all, *              all devices
 *     clime               a group, a device name or a serial number; * stands for any characters
 *     clime/3, clime/3..7 devices of a group by their numbers, from 1
 *     region/north        the groups of a region
 *     tag/indoor          the groups with a tag
 *
 * A percentage is a random sample: `10% of tag/indoor`; without "of" it is a sample of all devices. The same selector means the
 * same sample throughout a run, and a larger sample of the same devices contains every smaller one. A word that contains a
 * space, a quotation mark or one of ()&|!<>= needs quotation marks. A known tag after `tag/` needs none; if several fit, the
 * longest is meant: of the tags "hall 1" and "hall 12", `tag/hall 12` is the second. Fields and operators: fields.ts.
 */
import { didYouMean, orList, quote } from '../../input/problems.js';
import { UsageError } from '../../kernel/errors.js';
import { parseRatio } from '../../kernel/ratio.js';
import { FIELD_NAMES, FIELDS, OPERATORS, type Operator } from './fields.js';
import type { Selector } from './selector.js';

/** A syntax error in a selector, with its column from 1. */
export class SelectorError extends UsageError {
  readonly column: number;

  constructor(text: string, column: number, message: string) {
    super('bad-selector', `column ${column} of the selector: ${message}`, `  ${text}\n  ${' '.repeat(column - 1)}^`);
    this.name = 'SelectorError';
    this.column = column;
  }
}

/**
 * Reads a selector. Names are not checked: the caller checks whether a group exists.
 * @param tags known tags, which need no quotation marks in `tag/…` even if they contain spaces or signs
 * @throws SelectorError for the first syntax error
 */
export function parseSelector(text: string, tags: readonly string[] = []): Selector {
  return new Parser(text, tags).parseAll();
}

/**
 * The `tag/…` at the beginning of `text` that needs quotation marks unless its tag is known: the longest known one that ends at
 * the end of a word. Undefined if no known tag fits.
 */
export function findKnownTag(text: string, tags: readonly string[]): string | undefined {
  if (!text.startsWith(TAG)) return undefined;
  const fitting = tags.filter((tag) => {
    if (WORD.exec(tag)?.[0] === tag || tag.trim() !== tag || !text.startsWith(tag, TAG.length)) return false;
    return !WORD.test(text.slice(TAG.length + tag.length));
  });
  const longest = fitting.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : TAG + longest;
}

interface Token {
  readonly kind: 'word' | 'sign' | 'end';
  readonly text: string;
  readonly column: number;
}

/** The parser takes the first sign that fits. So longer signs come first: `<=` begins with `<`. */
const SIGNS = ['<=', '>=', '!=', '<', '>', '=', '(', ')', '&', '|', '!'];
const WORD = /^[^\s()&|!<>="']+/;
const TAG = 'tag/';
const PERCENT = /^\d+(?:\.\d+)?%$/;
const QUOTED = /"[^"]*"|'[^']*'/.source;
const COMPARED = FIELD_NAMES.filter((name) => !FIELDS[name].live).join('|');
/** One selector without its parentheses, for {@link SELECTOR_FORM}. */
const ONE = [
  String.raw`\d+(?:\.\d+)?%(?:\s+of\s+(?:${TAG}[^&|()]+|${QUOTED}|[^\s()&|!<>="']+))?`,
  String.raw`(?:${COMPARED})\s*(?:${OPERATORS.join('|')})\s*(?:${QUOTED}|[^\s()&|!<>="']+)`,
  '(?:tag|region)/[^&|()]+',
  QUOTED,
  String.raw`(?!(?:tag|region)/)[^\s()&|!<>="']+`,
].join('|');

/** JSON Schema of the selectors of scenarios. It accepts every selector, and others whose parentheses do not match. */
export const SELECTOR_FORM = {
  type: ['string', 'number'],
  pattern: String.raw`^\s*[!(\s]*(?:${ONE})[)\s]*(?:[&|][!(\s]*(?:${ONE})[)\s]*)*$`,
  patternErrorMessage:
    'This is not a selector, such as cellar, cellar/3..7, region/north, "tag/indoor & !profile=push" or 10% of cellar.',
};

/** Limit of nesting, so that recursion cannot overflow the stack. */
const DEEPEST = 100;

class Parser {
  readonly #text: string;
  readonly #tags: readonly string[];
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string, tags: readonly string[]) {
    this.#text = text;
    this.#tags = tags;
    this.#tokens = this.#split();
  }

  parseAll(): Selector {
    const selector = this.#parseEither();
    const left = this.#peek();
    if (left.kind !== 'end') this.#fail(left, `expected "&", "|" or the end, found ${quote(left.text)}`);
    return selector;
  }

  #parseEither(): Selector {
    const first = this.#parseBoth();
    const parts = [first];
    while (this.#skip('|')) parts.push(this.#parseBoth());
    return parts.length === 1 ? first : { kind: 'or', parts };
  }

  #parseBoth(): Selector {
    const first = this.#parseOne();
    const parts = [first];
    while (this.#skip('&')) parts.push(this.#parseOne());
    return parts.length === 1 ? first : { kind: 'and', parts };
  }

  #parseOne(): Selector {
    const token = this.#peek();
    if (++this.#depth > DEEPEST) this.#fail(token, `the selector is nested deeper than ${DEEPEST} levels`);
    const selector = this.#parseTerm(token);
    this.#depth--;
    return selector;
  }

  #parseTerm(token: Token): Selector {
    if (this.#skip('!')) return { kind: 'not', of: this.#parseOne() };
    if (this.#skip('(')) {
      const inner = this.#parseEither();
      if (!this.#skip(')')) this.#fail(this.#peek(), `the ")" is missing for the "(" in column ${token.column}`);
      return inner;
    }
    if (token.kind !== 'word') {
      const found = token.kind === 'end' ? 'the end' : quote(token.text);
      this.#fail(token, `expected a name, "field=value", "!" or "(", found ${found}`);
    }
    this.#next++;
    const operator = OPERATORS.find((known) => this.#skip(known));
    if (operator !== undefined) return this.#parseFieldTest(token, operator);
    return this.#sample(token) ?? word(token.text);
  }

  /** `10%`, `10% of clime`; undefined if the token does not begin a sample. */
  #sample(token: Token): Selector | undefined {
    const detached = /^\d/.test(token.text) && this.#take('%');
    const percent = detached ? `${token.text}%` : token.text;
    if (token.kind !== 'word' || !PERCENT.test(percent)) return undefined;
    const share = parseRatio(percent);
    if (share === undefined || share === 0) {
      this.#fail(token, `${quote(percent)} is not a sample of more than 0% and at most 100%`);
    }
    return { kind: 'sample', share, of: this.#take('of') ? this.#parseOne() : { kind: 'all' } };
  }

  #parseFieldTest(name: Token, operator: Operator): Selector {
    const field = FIELD_NAMES.find((known) => known === name.text);
    if (field === undefined) {
      const meant = didYouMean(name.text, FIELD_NAMES);
      this.#fail(name, `${quote(name.text)} is not a field${meant}; the fields are ${FIELD_NAMES.join(', ')}`);
    }
    const { operators, wanted, compare } = FIELDS[field];
    const value = this.#peek();
    if (value.kind !== 'word') this.#fail(value, `${field}${operator} needs ${wanted}`);
    this.#next++;
    if (!operators.includes(operator)) this.#fail(name, `${field} can only be compared with ${orList(operators)}`);
    if (compare(operator, value.text)) return { kind: 'field', field, operator, value: value.text };
    return this.#fail(value, `${quote(value.text)} is not ${wanted}`);
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

  /** Skips the next token if it is this word. */
  #take(text: string): boolean {
    const next = this.#peek();
    if (next.kind !== 'word' || next.text !== text) return false;
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
        // The default is never used: `WORD` matches every character that is not a space, a sign or a quotation mark.
        const [plain = mark] = WORD.exec(rest) ?? [];
        const text = findKnownTag(rest, this.#tags) ?? plain;
        tokens.push({ kind: 'word', text, column });
        i += text.length;
      }
    }
    return tokens;
  }

  #fail({ column }: Pick<Token, 'column'>, message: string): never {
    throw new SelectorError(this.#text, column, message);
  }
}

/** The selector of a word without an operator. */
function word(text: string): Selector {
  if (text === 'all' || text === '*') return { kind: 'all' };
  const [, prefix, label = ''] = /^(region|tag)\/(.+)$/.exec(text) ?? [];
  if (prefix === 'region') return { kind: 'region', region: label };
  if (prefix === 'tag') return { kind: 'tag', tag: label };
  const [, group = '', from, until = from] = /^([^/]*)\/(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
  if (from === undefined) return { kind: 'word', word: text };
  return { kind: 'devices', group, first: Number(from), last: Number(until) };
}
