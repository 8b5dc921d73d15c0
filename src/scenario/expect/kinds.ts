/** Which values can be added, multiplied and compared in an expectation. */
import type { Unit } from '../../kernel/quantity.js';
import type { Operator } from './expectation.js';

/** `count`: how often; `number`: without a unit, or a quotient of counts; `ratio`: a share; `ms`: a duration. */
export type Kind = 'count' | 'number' | 'ratio' | 'ms';

export const NOUN: Readonly<Record<Kind, string>> = {
  count: 'a count',
  number: 'a number',
  ratio: 'a share',
  ms: 'a duration',
};

/** The kind of the result of an operation; undefined if the operator cannot combine the two kinds. */
export function combine(operator: Operator, left: Kind, right: Kind): Kind | undefined {
  switch (operator) {
    case '+':
    case '-':
      return findCommon(left, right);
    case '*':
      return multiplyKinds(left, right);
    case '/':
      return divideKinds(left, right);
    default:
      return operator satisfies never;
  }
}

/** The kind of two added or compared sides, such as `count` for a count and a number; undefined if none. */
export function findCommon(left: Kind, right: Kind): Kind | undefined {
  if (left === right) return left;
  if (left === 'number' && right !== 'ms') return right;
  if (right === 'number' && left !== 'ms') return left;
  return undefined;
}

export function getUnit(kind: Kind): Unit {
  return kind === 'number' ? 'count' : kind;
}

/** `a duration cannot be divided by …` */
export function describeMismatch(operator: Operator, left: Kind, right: Kind): string {
  const [one, other] = [NOUN[left], NOUN[right]];
  switch (operator) {
    case '+':
      return `${other} cannot be added to ${one}`;
    case '-':
      return `${other} cannot be subtracted from ${one}`;
    case '*':
      return `${one} cannot be multiplied by ${other}`;
    case '/':
      return `${one} cannot be divided by ${other}`;
    default:
      return operator satisfies never;
  }
}

function multiplyKinds(left: Kind, right: Kind): Kind | undefined {
  if (left === 'ms' && right === 'ms') return undefined;
  if (left === 'ms' || right === 'ms') return 'ms';
  if (left === 'count' && right === 'count') return 'number';
  if (left === 'count' || right === 'count') return 'count';
  return left === 'ratio' || right === 'ratio' ? 'ratio' : 'number';
}

function divideKinds(left: Kind, right: Kind): Kind | undefined {
  if (right === 'ms') return left === 'ms' ? 'number' : undefined;
  if (left === 'ms') return 'ms';
  if (left === 'count') return right === 'count' ? 'number' : 'count';
  return left === 'ratio' && right === 'number' ? 'ratio' : 'number';
}
