/** The API's documentation page, loaded at its first request, into a server without a port: it would slow the start. */
import type { OutgoingHttpHeaders } from 'node:http';
import { posix } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const PAGE = '/v2/documentation';

/** Response headers that are not copied from the server of the page, because the server of the API sets its own. */
const OWN: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'],
  // Parts of files are not sent.
  'accept-ranges',
]);

/** A file of the page. */
interface File {
  readonly headers: OutgoingHttpHeaders;
  readonly content: Buffer;
}

/** Adds the page and the document that it shows to the API. @param name title of the page */
export function addPage(api: FastifyInstance, name: string): void {
  let page: Promise<FastifyInstance> | undefined;
  // Requests need no credential, so the files and the document are made once.
  const files = new Map<string, File>();
  let document: Buffer | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    // Without a slash at its end, the address of the page would make relative addresses in the page wrong.
    if (/\/documentation(?:\?|$)/.test(request.url)) return reply.redirect('documentation/');
    reply.header('content-security-policy', POLICY);
    const [url = ''] = request.url.split('?', 1);
    // One file has many addresses, such as those with %73 for "s".
    const path = posix.normalize(decodeURIComponent(url));
    let file = files.get(path);
    if (file === undefined) {
      page ??= import('./swagger-page.js').then(({ createPage }) => createPage(api, PAGE, name, POLICY));
      const { statusCode, headers, rawPayload } = await (await page).inject({ method: 'GET', url });
      if (statusCode === 404) return reply.callNotFound();
      if (statusCode !== 200) return reply.code(statusCode).headers(shared(headers)).send(rawPayload);
      file = { headers: shared(headers), content: rawPayload };
      files.set(path, file);
    }
    reply.headers(file.headers);
    if (request.headers['if-none-match'] === file.headers.etag && file.headers.etag !== undefined)
      return reply.code(304).send();
    return reply.send(file.content);
  };
  const hidden = { schema: { hide: true } };
  api.get(`${PAGE}/json`, hidden, async (_, reply) => {
    document ??= Buffer.from(JSON.stringify(api.swagger()));
    return reply.header('content-security-policy', POLICY).type('application/json; charset=utf-8').send(document);
  });
  for (const path of ['', '/yaml', '/static/*']) api.get(`${PAGE}${path}`, hidden, answer);
  // Redirects are relative, because a proxy may have removed the beginning of the path.
  api.get(`${PAGE}/index.html`, hidden, (_, reply) => reply.redirect('./'));
}

function shared(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([header]) => !OWN.has(header)));
}

/** Allows scripts only in files of the page. Inline styles and images are allowed, because the page contains them. */
const CONTENT_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'font-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const POLICY = Object.entries(CONTENT_POLICY)
  .map(([what, from]) => `${what} ${from};`)
  .join(' ');
