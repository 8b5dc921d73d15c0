/** Serves the built console at `/`. Its files are public: all data come from the API, which checks permissions. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unknownRoute } from '../http/errors.js';
import type { ConsoleFile, ConsoleFiles } from './files.js';

/** Allows only the files and the API of this service, and images in `data:` URLs. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of the page and its files. */
const PAGE_HEADERS = {
  'content-security-policy': CONTENT_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** A name with the hash of its contents, as Vite gives it: `index-BxK3_9aZ.js`. */
const HASHED = /-[\w-]{8,40}\.\w{1,10}$/;
const HIDDEN = { schema: { hide: true } } as const;

/** A file of the console by the path of a request, with its headers; undefined if the built console has no such public file. */
export async function consoleFile(
  files: ConsoleFiles,
  path: string,
): Promise<{ readonly file: ConsoleFile; readonly headers: Readonly<Record<string, string>> } | undefined> {
  const isPublic = path === '/' || path === '/favicon.svg' || path.startsWith('/assets/');
  const file = path === '/' ? await files.page() : isPublic ? await files.file(path.slice(1)) : undefined;
  return file && { file, headers: headersOf(file, path) };
}

function headersOf({ tag }: ConsoleFile, path: string): Readonly<Record<string, string>> {
  const caching = HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
  return { ...PAGE_HEADERS, 'cache-control': caching, etag: tag };
}

export function addPages(api: FastifyInstance, files: ConsoleFiles): void {
  api.get('/', HIDDEN, async (request, reply) => {
    const page = await files.page();
    if (page) return send(request, reply, page, '/');
    return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(NOT_BUILT);
  });

  api.get<{ Params: { '*': string } }>('/assets/*', HIDDEN, async (request, reply) => {
    const path = `/assets/${request.params['*']}`;
    const file = await files.file(path.slice(1));
    return file ? send(request, reply, file, path) : unknownRoute(request, reply);
  });

  api.get('/favicon.svg', HIDDEN, async (request, reply) => {
    const file = await files.file('favicon.svg');
    return file ? send(request, reply, file, '/favicon.svg') : unknownRoute(request, reply);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile, path: string): FastifyReply {
  const { bytes, gzipped, type, tag } = file;
  reply.headers({ ...headersOf(file, path), vary: 'accept-encoding' }).type(type);
  if (request.headers['if-none-match']?.includes(tag)) return reply.code(304).send();
  if (gzipped === undefined || !/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(bytes);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>ghostfleet</title></head>
<body>
<h1>The web console is not built</h1>
<p>In a checkout of ghostfleet, run <code>npm run build:web</code> and load this page again.</p>
<p>The API is at <a href="v2/documentation">/v2</a>.</p>
</body>
</html>
`;
