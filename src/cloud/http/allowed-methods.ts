/** Answers requests with a method that their path does not have: 405, with the methods that it has in `Allow`. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods of a path, sorted. Absent from a server that does not collect them. */
    methodsOf?: (path: string) => readonly string[];
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
}

/** The methods of the path of a request without a route; empty if the path is unknown. */
export function methodsFor({ server, url }: FastifyRequest): readonly string[] {
  return server.methodsOf?.(url.split('?', 1)[0] ?? '') ?? [];
}

function pathsOf(url: string): RegExp {
  const pattern = url.replaceAll(/[.+]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${pattern.replace(/\/$/, '')}/?$`);
}
