/** Functions can be read in one go. */
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parsed } from './sources.js';

/** Lines of a function, with its signature. */
const LONGEST = 90;

describe('functions', () => {
  it(`have at most ${LONGEST} lines`, () => {
    const long: string[] = [];
    for (const { path, tree } of ['src', 'bench', 'scripts'].flatMap(parsed)) {
      const lineAt = (position: number): number => tree.getLineAndCharacterOfPosition(position).line;
      const visit = (node: ts.Node): void => {
        if (ts.isFunctionLike(node) && 'body' in node && node.body) {
          const name = `${path}: ${node.name?.getText(tree) ?? `(line ${lineAt(node.getStart(tree)) + 1})`}`;
          if (lineAt(node.end) - lineAt(node.getStart(tree)) + 1 > LONGEST) long.push(name);
        }
        ts.forEachChild(node, visit);
      };
      visit(tree);
    }
    expect(long, 'these functions are too long: give each step of theirs a function with a name').toEqual([]);
  });
});
