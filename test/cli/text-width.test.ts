import { expect, it } from 'vitest';
import { getTextWidth } from '../../src/cli/host.js';

const widthOf = (isTerminal: boolean, columns: number) => getTextWidth({ isTerminal, columns, write: () => {} });

it('a report is as wide as the terminal, from 40 to 120 columns', () => {
  expect([20, 60, 80, 200].map((columns) => widthOf(true, columns))).toEqual([40, 60, 80, 120]);
});

it('a report in a file or a pipe has the default width', () => {
  expect(widthOf(false, 200)).toBeUndefined();
});
