/** Hints for failed connections whose cause the error cannot show. */
import { systemReason } from '../kernel/system-errors.js';
import type { Host } from './host.js';

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
const UNREACHABLE = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ETIMEDOUT'].map((code) =>
  systemReason(code),
);
/** What a client of plain HTTP sees of a server that expects TLS. */
const NOT_HTTP = /from http:\/\/\S+: (connection lost|the response is not HTTP(?!:))/;
/** With TLS 1.3, a server that misses a certificate closes the connection after the handshake. */
const CLOSED = /from https:\/\/\S+: connection lost/;

/** The hint for the message of an error; undefined if there is none. */
export function findConnectionHint(message: string, env: Host['env']): string | undefined {
  if (NOT_HTTP.test(message)) {
    return 'if the server expects TLS, its address begins with https://; ghostfleet uses HTTP/1.1, not HTTP/2';
  }
  if (CLOSED.test(message)) return 'if the server demands a client certificate: ghostfleet does not have one';
  const proxy = PROXIES.find((name) => env[name]);
  const isUnreachable = UNREACHABLE.some((reason) => reason !== undefined && message.includes(reason));
  return proxy !== undefined && isUnreachable ? `ghostfleet does not use ${proxy}: it connects directly` : undefined;
}
