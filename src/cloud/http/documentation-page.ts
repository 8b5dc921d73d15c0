/** The API's documentation page, loaded at its first request, into a server without a port: it would slow the start. */
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

const PAGE = '/v2/documentation';

const SVG = 'image/svg+xml';
/** A ghost with the antenna of a device. */
const ICON =
  '<path d="M6 30V14a10 10 0 0 1 20 0v16l-4-3-3 3-3-3-3 3-3-3z" fill="#7aa2f7"/><path d="M16 4V1" stroke="#7aa2f7"/>' +
  '<circle cx="12.5" cy="14" r="2" fill="#1b1b1b"/><circle cx="19.5" cy="14" r="2" fill="#1b1b1b"/>';

/** A picture of the page. @param width in pixels; the height is 32 */
function picture(content: string, width: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 32">${content}</svg>`;
}

/** Request headers that are passed on to the server of the page: they say which parts of a file the browser already has. */
const FORWARDED = ['if-none-match', 'if-modified-since', 'range', 'if-range'] as const;
/** Response headers that are not copied from the server of the page, because the server of the API sets its own. */
const OWN: ReadonlySet<string> = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** Adds the page and the document that it shows to the API. @param name title of the page */
export function addPage(api: FastifyInstance, name: string): void {
  let page: Promise<FastifyInstance> | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    // Without a slash at its end, the address of the page would make relative addresses in the page wrong.
    if (/\/documentation(?:\?|$)/.test(request.url)) return reply.redirect('documentation/');
    page ??= createPage(api, name);
    const wanted = Object.fromEntries(FORWARDED.map((header) => [header, request.headers[header]]));
    const headers = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    const made = await (await page).inject({ method: 'GET', url: request.url, headers });
    reply.header('content-security-policy', POLICY);
    if (made.statusCode === 404) return reply.callNotFound();
    for (const [header, value] of Object.entries(made.headers)) if (!OWN.has(header)) reply.header(header, value);
    return reply.code(made.statusCode).send(made.rawPayload.length > 0 ? made.rawPayload : undefined);
  };
  const hidden = { schema: { hide: true } };
  api.get(`${PAGE}/json`, hidden, async (_, reply) => {
    reply.header('content-security-policy', POLICY);
    return api.swagger();
  });
  for (const path of ['', '/yaml', '/static/*']) api.get(`${PAGE}${path}`, hidden, answer);
  // Redirects are relative, because a proxy may have removed the beginning of the path.
  api.get(`${PAGE}/index.html`, hidden, (_, reply) => reply.redirect('./'));
}

async function createPage(api: FastifyInstance, name: string): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const page = fastify();
  // The cast is needed because the type allows only OpenAPI 2 and 3.0. The plugin returns the document unchanged.
  const specification = { document: api.swagger() } as StaticDocumentSpec;
  page.register(swagger, { mode: 'static', specification });
  page.register(swaggerUi, {
    routePrefix: PAGE,
    staticCSP: POLICY,
    uiConfig: { docExpansion: 'list', persistAuthorization: false, tryItOutEnabled: true },
    theme: {
      title: name,
      favicon: [{ filename: 'favicon.svg', rel: 'icon', type: SVG, sizes: 'any', content: picture(ICON, 32) }],
    },
    logo: { type: SVG, content: picture(`${ICON}${nameText(name)}`, 330), href: './', target: '_self' },
  });
  await page.ready();
  return page;
}

function nameText(name: string): string {
  return `<text x="40" y="23" font-family="sans-serif" font-size="22" fill="#fff">${name}</text>`;
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
