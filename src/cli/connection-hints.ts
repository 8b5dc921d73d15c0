/** Hints for failed connections whose cause the error cannot show. */
import { systemReason } from '../kernel/system-errors.js';
import type { Host } from './host.js';

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
const UNREACHABLE = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ETIMEDOUT'].map((code) =>
  systemReason(code),
);
/** What a client of plain HTTP sees of a server that expects TLS. */
const NOT_HTTP = /from http:\/\/\S+: (connection lost|the response is not HTTP)/;

/** The hint for the message of an error; undefined if there is none. */
export function findConnectionHint(message: string, env: Host['env']): string | undefined {
  if (NOT_HTTP.test(message)) return 'if the server expects TLS, its address begins with https://';
  const proxy = PROXIES.find((name) => env[name]);
  const isUnreachable = UNREACHABLE.some((reason) => reason !== undefined && message.includes(reason));
  return proxy !== undefined && isUnreachable ? `ghostfleet does not use ${proxy}: it connects directly` : undefined;
}
