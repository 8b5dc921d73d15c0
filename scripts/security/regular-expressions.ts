/**
 * Every regular expression of the program gets long texts of the same piece over and over, which make a careless one take time
 * with the square of the length: a prefix, the repeated piece, and an end that does not match. Pieces and prefixes are taken from
 * the expression itself.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const LENGTH = 5000;
/** Milliseconds: more is a finding. A linear expression takes a hundredth of it. */
const LIMIT = 8;
/** Milliseconds: no further texts for an expression that takes as long. */
const ENOUGH = 500;
/** Expressions that only see short texts of this program. */
const OWN: readonly string[] = ['/\\B(?=(\\d{3})+$)/g', '/ up .* … \\d+$/'];
const ENDS = ['', '\u0001', 'b', '!\n', 'x '];
const COMMON = [
  ' ',
  '\n',
  '\t',
  '"',
  "'",
  'a',
  '0',
  '.',
  '/',
  '-',
  '=',
  ':',
  '\\"',
  'a.',
  'a ',
  'a-',
  '0s',
  ' a',
  '""',
];

interface Expression {
  readonly place: string;
  readonly source: string;
  readonly pattern: RegExp;
}

interface Slow extends Expression {
  readonly ms: number;
  readonly text: string;
}

/** The number of texts that were tried, and the expressions that take too long for one of them. */
export function pumpExpressions(): { readonly texts: number; readonly slow: readonly Slow[] } {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => /\.m?[jt]s$/.test(name));
  const all = files.sort().flatMap((name) => listExpressions(join('src', name)));
  const slow: Slow[] = [];
  let texts = 0;
  for (const expression of all.filter(({ source }) => !OWN.includes(source))) {
    let worst: Slow | undefined;
    for (const [prefix, piece, end] of listTexts(expression.source)) {
      texts++;
      const ms = measure(expression.pattern, prefix + piece.repeat(LENGTH / piece.length) + end);
      if (ms <= Math.max(LIMIT, worst?.ms ?? 0)) continue;
      worst = { ...expression, ms, text: [prefix, `${piece}…`, end].map((part) => JSON.stringify(part)).join(' + ') };
      if (ms > ENOUGH) break;
    }
    if (worst !== undefined) slow.push(worst);
  }
  return { texts, slow };
}

function listExpressions(file: string): readonly Expression[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const pattern = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ place: `${file}:${line + 1}`, source: node.text, pattern });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Prefix, repeated piece and end of each text. */
function* listTexts(source: string): Generator<readonly [prefix: string, piece: string, end: string]> {
  const words = source.replace(/\\[a-zA-Z]/g, ' ').match(/[a-zA-Z]+ ?|[^\w\s\\]{1,3}/g) ?? [];
  const pieces = new Set([...COMMON, ...words.filter((word) => word.length <= 12)]);
  const plain = source.replace(/\\s[+*]?/g, ' ').replace(/\\[Sw][+*]|\.[+*]\??|\(\[\^[^\]]*\]\+\)/g, 'a');
  const parts = (plain.match(/[a-zA-Z :/="'.-]+/g) ?? []).filter((part) => part.length <= 30);
  for (const piece of pieces) {
    for (const prefix of new Set(['', ' ', '"', '[', ...parts])) for (const end of ENDS) yield [prefix, piece, end];
  }
}

/** The shortest of three times: the machine may have other work. */
function measure(pattern: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && least > LIMIT; i++) {
    pattern.lastIndex = 0;
    const began = performance.now();
    if (pattern.global) text.replace(pattern, '');
    else pattern.test(text);
    least = Math.min(least, performance.now() - began);
  }
  return least;
}
