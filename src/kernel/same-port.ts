/** Ports that one command opens. That two options name the same one must not look like another process that uses it. */
import { UsageError } from './errors.js';

interface NamedPort {
  /** The option that names it, as users write it. */
  readonly option: string;
  /** 0 takes a free port; null or undefined: none is opened. */
  readonly port: number | null | undefined;
  /** Address to listen on. Default: that of the others. */
  readonly host?: string;
}

/** Addresses that include all others. */
const ALL: readonly (string | undefined)[] = ['0.0.0.0', '::'];

/**
 * @param ports of one protocol
 * @throws UsageError `same-port`, with all pairs of options that name the same port
 */
export function needDifferentPorts(ports: readonly NamedPort[]): void {
  const opened = ports.filter(({ port }) => typeof port === 'number' && port > 0);
  const same = opened.flatMap((one, i) =>
    opened
      .slice(i + 1)
      .filter((other) => one.port === other.port && meet(one.host, other.host))
      .map((other) => `${one.option} and ${other.option} name the same port, ${one.port}`),
  );
  if (same.length > 0) throw new UsageError('same-port', same.join('; '), 'each needs its own; 0 takes a free one');
}

function meet(one: string | undefined, other: string | undefined): boolean {
  return plain(one) === plain(other) || ALL.includes(one) || ALL.includes(other);
}

function plain(host: string | undefined): string | undefined {
  return host === 'localhost' ? '127.0.0.1' : host;
}
