/** Resolves addresses of UDP sockets without delay. */
import type { SocketOptions } from 'node:dgram';
import { lookup } from 'node:dns';
import { isIP } from 'node:net';

/** Skips the resolver for IP addresses, so that a datagram is sent, or a socket bound, before the call returns. */
export const lookUpAtOnce: NonNullable<SocketOptions['lookup']> = (name, options, callback) => {
  const family = isIP(name);
  if (family === 0) lookup(name, options, callback);
  else callback(null, name, family);
};
