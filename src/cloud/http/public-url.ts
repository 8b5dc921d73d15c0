/** The public address behind a reverse proxy, which may change host, port, scheme and path. */
import type { FastifyInstance } from 'fastify';

export interface PublicUrl {
  /** Such as `https://example.com:8443`. */
  readonly origin: string;
  /** Host name without the port. */
  readonly host: string;
  /** Begins with a slash, and has none at its end; empty without a path. */
  readonly prefix: string;
}

/** First segments of the paths of the service. A prefix that begins with one of them would be ambiguous. */
const OWN_PATHS = new Set(['v2', 'console', 'assets', 'favicon.svg', 'healthz', 'readyz', 'metrics']);

/** Undefined if the text is not such an address: it has another scheme, credentials, a query, or a path of the service. */
export function readPublicUrl(text: string): PublicUrl | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, hostname, pathname, username, password } = new URL(text);
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(text);
  const prefix = pathname.replace(/(?<!\/)\/+$/, '');
  const isPath = /^(\/[\w.~-]+)*$/.test(prefix) && !OWN_PATHS.has(prefix.split('/')[1] ?? '');
  return isPlain && isPath ? { origin, host: hostname, prefix } : undefined;
}

/** The URL of a request as the routes have it. A proxy may pass on the prefix, or remove it. */
export function withoutPrefix(url: string, prefix: string): string {
  return prefix !== '' && url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url;
}

/** Redirects the prefix without a slash at its end: relative addresses in the page would be wrong there. */
export function redirectPrefix(api: FastifyInstance, { prefix }: PublicUrl): void {
  if (prefix === '') return;
  const last = prefix.slice(prefix.lastIndexOf('/') + 1);
  api.get(prefix, { schema: { hide: true } }, (_, reply) => reply.redirect(`${last}/`));
}
