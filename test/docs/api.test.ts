/**
 * docs/API.md and the requirements of the API have exactly its routes. Each requirement names an existing test, or the reason
 * why there is nothing to prove. api.long.test.ts runs the examples of the guide.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as TypeScript from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCoverage } from '../../scripts/pages/api-coverage.js';
import type { Service } from '../../src/cloud/service.js';
import { ghostfleet } from '../support/host.js';
import type { Document } from '../support/openapi.js';
import { GUIDE, useService } from './api-support.js';

/** `import` would take twice as long, because Node looks for the names of the exports in the 9 MB of the compiler. */
const ts: typeof TypeScript = createRequire(import.meta.url)('typescript');

const REQUIREMENTS = readCoverage().flatMap(({ sections }) => sections.flatMap(({ rows }) => rows));

const service = useService();
/** The routes of its OpenAPI document, such as `GET /v2/spaces`. */
let routes: readonly string[];
beforeAll(async () => {
  routes = await documentedRoutes(service());
});

describe('the requirements of the API', () => {
  it('name existing tests, or the reason why there is nothing to prove', () => {
    const titles = new Map<string, ReadonlySet<string>>();
    const titlesIn = (file: string) => {
      const known = titles.get(file) ?? titlesOf(pathOf(file));
      titles.set(file, known);
      return known;
    };
    const problems = REQUIREMENTS.flatMap(({ what, proof = [], nothing }) => {
      if ((proof.length === 0) === (nothing === undefined)) return [`"${what}" needs either a test or a reason`];
      return proof.flatMap((test) => {
        const [, file = '', title = ''] = /^(\S+) (.+)$/.exec(test) ?? [];
        if (!existsSync(pathOf(file))) return [`"${what}": missing file ${pathOf(file)}`];
        return titlesIn(file).has(title) ? [] : [`"${what}": ${pathOf(file)} has no test "${title}"`];
      });
    });
    expect(problems).toEqual([]);
    expect(REQUIREMENTS.length).toBeGreaterThan(500);
  });

  it('have every route of the OpenAPI document, and no other', () => {
    const named = REQUIREMENTS.flatMap(({ what }) => /^`((?:GET|POST|PUT|DELETE) \/[^`]+)`/.exec(what)?.[1] ?? []);
    expect([...new Set(named)].sort()).toEqual(routes);
  });
});

describe('the guide to the API', () => {
  it('has every route of the OpenAPI document, and no other', () => {
    const named = [...GUIDE.matchAll(/^\| `((?:GET|POST|PUT|DELETE) [^`]+)` \|/gm)].map(([, route = '']) =>
      route.replace(/ S(?=\/|$)/, ' /v2/spaces/{space_id}'),
    );
    expect(named.sort()).toEqual(routes);
  });

  it('names only command-line options that the program has', async () => {
    const pages = await Promise.all(['serve', 'device', 'image', 'doctor'].map((name) => ghostfleet([name, '--help'])));
    const help = pages.map(({ out }) => out).join('\n');
    const named = new Set([...GUIDE.matchAll(/(?<![\w-])--[a-z][a-z0-9-]+/g)].map(([name]) => name));
    expect(named.size).toBeGreaterThan(10);
    expect([...named].filter((name) => !help.includes(name))).toEqual([]);
  });
});

/** Path of a test file. A contract is a suite that other test files run, so its name does not end in `.test`. */
function pathOf(file: string): string {
  return file.startsWith('contracts/') ? `test/${file}.ts` : `test/${file}.test.ts`;
}

/** Titles of the tests in a file, each after the titles of the groups around it: `a group › does something`. */
function titlesOf(path: string): ReadonlySet<string> {
  const titles = new Set<string>();
  const visit = (node: TypeScript.Node, around: readonly string[]): void => {
    const inside = [...around];
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      const called = rootOf(node.expression);
      if (title !== undefined && ts.isStringLiteralLike(title)) {
        if (called === 'describe') inside.push(title.text);
        if (called === 'it' || called === 'test') titles.add([...around, title.text].join(' › '));
      }
    }
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest), []);
  return titles;
}

/** The name at the beginning of a call: `it` for `it`, `it.each([…])` and `it.concurrent.each([…])`. */
function rootOf(node: TypeScript.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) ? rootOf(node.expression) : undefined;
}

async function documentedRoutes({ api }: Service): Promise<string[]> {
  // The cast is safe because the service has its document at this path.
  const document = (await (await fetch(`${api}/v2/documentation/json`)).json()) as Document;
  return Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .sort();
}
