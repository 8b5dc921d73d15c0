/**
 * A selector selects devices: for a step, a fault or a load of a scenario, or for a command on a console. grammar.ts reads it,
 * match.ts finds the devices, check.ts checks it against the fleet of a scenario.
 */
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import type { FieldName, Operator } from './fields.js';

export type Selector =
  | { readonly kind: 'all' }
  | { readonly kind: 'group'; readonly group: string }
  /** `first` and `last` are device numbers in the group, from 1; both are included. */
  | { readonly kind: 'devices'; readonly group: string; readonly first: number; readonly last: number }
  | { readonly kind: 'region'; readonly region: string }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'sample'; readonly share: Ratio; readonly of: Selector }
  /** A name, a group or a serial number; `*` stands for any characters. */
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'field'; readonly field: FieldName; readonly operator: Operator; readonly value: string }
  | { readonly kind: 'not'; readonly of: Selector }
  /** Two parts or more. */
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Selector[] };

export function nameSelector(to: Selector): string {
  switch (to.kind) {
    case 'all':
      return 'all';
    case 'group':
      return to.group;
    case 'devices':
      return `${to.group}/${to.first}${to.last === to.first ? '' : `..${to.last}`}`;
    case 'region':
      return quoteWord(`region/${to.region}`);
    case 'tag':
      return quoteWord(`tag/${to.tag}`);
    case 'sample':
      return `${formatRatio(to.share)} of ${nameInner(to.of)}`;
    case 'word':
      return quoteWord(to.word);
    case 'field':
      return `${to.field}${to.operator}${quoteWord(to.value)}`;
    case 'not':
      return `!${nameInner(to.of)}`;
    case 'and':
      return to.parts.map(nameInner).join(' & ');
    case 'or':
      return to.parts.map(nameInner).join(' | ');
    default:
      return to satisfies never;
  }
}

/** In parentheses if needed for the precedence of operators. */
function nameInner(to: Selector): string {
  return to.kind === 'and' || to.kind === 'or' ? `(${nameSelector(to)})` : nameSelector(to);
}

function quoteWord(word: string): string {
  if (/^[^\s()&|!<>="']+$/.test(word)) return word;
  return word.includes('"') ? `'${word}'` : `"${word}"`;
}
