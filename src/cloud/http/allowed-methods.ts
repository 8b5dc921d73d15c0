/** What is known of requests without a route: the methods that their path has, and the path that they may mean. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { didYouMean } from '../../kernel/did-you-mean.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods of a path, sorted. Absent from a server that does not collect them. */
    methodsOf?: (path: string) => readonly string[];
    /** The path of a route that is most like a path without one, such as `/v2/spaces/{space_id}`. */
    nearestTo?: (path: string, method: string) => string | undefined;
  }
}

/** Collects the methods of all routes. Call it before adding the routes. */
export function collectMethods(api: FastifyInstance): void {
  const collected = new Map<string, Set<string>>();
  api.addHook('onRoute', ({ url, method }) => {
    // A wildcard stands for files and for preflight requests.
    if (url.includes('*')) return;
    const methods = collected.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    collected.set(url, methods);
  });
  // The expressions are made when a path is asked for: most services are never asked.
  api.decorate('methodsOf', (path) => {
    const found = [...collected].filter(([url]) => pathsOf(url).test(path));
    return [...new Set(found.flatMap(([, methods]) => [...methods]))].sort();
  });
  api.decorate('nearestTo', (path, method) => nearestPath(collected, path, method));
}

/** The path of a route that is most like the one of a request without a route; undefined if none is like it. */
function nearestPath(collected: ReadonlyMap<string, ReadonlySet<string>>, path: string, method: string) {
  const given = partsOf(path);
  // A longer path is a mistake of another kind, and would take long to compare.
  if (given.length > MOST_PARTS) return undefined;
  // The last part without a digit says what is wanted.
  const word = given.findLast((part) => !HAS_DIGIT.test(part)) ?? '';
  let best: string | undefined;
  let least = TOO_FAR;
  for (const [url, methods] of collected) {
    const parts = partsOf(url);
    if (!parts.some((part) => isLike(word, part))) continue;
    // Of equally near paths, one that has the method.
    const cost = distance(given, parts) + (methods.has(method) ? 0 : 0.1);
    if (cost < least) [best, least] = [url, cost];
  }
  return best?.replace(/\/$/, '').replaceAll(/:(\w+)/g, '{$1}');
}

const HAS_DIGIT = /\d/;
const MOST_PARTS = 10;
/** Distance from which paths are not alike. A part too many or too few counts 1. */
const TOO_FAR = 3;

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

function isLike(part: string, literal: string): boolean {
  return part === literal || (!isParameter(literal) && didYouMean(part.slice(0, 40), [literal]) !== '');
}

function isParameter(part: string): boolean {
  return part.startsWith(':');
}

/** How many parts must be added, removed or corrected to get from a path to the path of a route. */
function distance(given: readonly string[], route: readonly string[]): number {
  // A parameter that is missing was often forgotten with the literal before it.
  const missing = (part: string) => (isParameter(part) ? 0.5 : 1);
  const changed = (part: string, wanted: string) => {
    if (part === wanted) return 0;
    if (isParameter(wanted)) return HAS_DIGIT.test(part) ? 0 : 0.7;
    return isLike(part, wanted) ? 0.8 : TOO_FAR;
  };
  let row = [0];
  for (const part of route) row.push((row.at(-1) ?? 0) + missing(part));
  for (const part of given) {
    const next = [(row[0] ?? 0) + 1];
    route.forEach((wanted, i) => {
      const [here = 0, above = 0, left = 0] = [row[i], row[i + 1], next[i]];
      next.push(Math.min(here + changed(part, wanted), above + 1, left + missing(wanted)));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The methods of the path of a request without a route; empty if the path is unknown. */
export function methodsFor({ server, url }: FastifyRequest): readonly string[] {
  return server.methodsOf?.(url.split('?', 1)[0] ?? '') ?? [];
}

function pathsOf(url: string): RegExp {
  const pattern = url.replaceAll(/[.+]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${pattern.replace(/\/$/, '')}/?$`);
}
