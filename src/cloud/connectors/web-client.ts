/** The HTTP client of the connectors. Only sender.ts imports this file, with the first request: it loads undici. */
import { Agent, request } from 'undici';
import { seconds } from '../../kernel/time.js';
import { guardedConnector, type Lookup } from './guard.js';

/** The targets that connectors may reach. */
export interface Targets {
  readonly allowPrivate: boolean;
  /** Hosts with public addresses that may be reached; undefined: all. */
  readonly hosts?: readonly string[] | undefined;
  readonly lookup?: Lookup;
}

export interface WebClient {
  readonly agent: Agent;
  readonly send: typeof request;
}

const CONNECT_TIMEOUT = seconds(10);
/** Maximum size of the head of a response. */
const HEAD_BYTES = 16_384;

export function webClient({ allowPrivate, hosts, lookup }: Targets): WebClient {
  const agent = new Agent({
    connect: guardedConnector(CONNECT_TIMEOUT, { allowPrivate, hosts }, lookup),
    maxHeaderSize: HEAD_BYTES,
    // This time is short, because many targets close idle connections after a few seconds.
    keepAliveTimeout: seconds(4),
  });
  return { agent, send: request };
}
