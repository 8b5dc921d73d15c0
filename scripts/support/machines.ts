/**
 * Machines for the processes of a proof: network namespaces of Linux that are joined by a bridge, so that each has addresses,
 * ports and routes of its own. Without the right to make namespaces, the processes share the network of this process.
 */
import { execFileSync } from 'node:child_process';
import { pid } from 'node:process';

interface Machines {
  /** Description of the machines, with the reason if they are not namespaces. */
  readonly what: string;
  /** Address at which all machines reach this process. */
  readonly host: string;
  /** Converts a command to one that runs it on the machine with this number, from 0. */
  on(machine: number, command: readonly string[]): readonly [program: string, ...args: string[]];
  close(): void;
}

/** Addresses that are reserved for tests (RFC 2544), so no real network has them. */
const NET = '198.18.53';

export function openMachines(count: number): Machines {
  const bridge = `gfb${pid}`;
  const names = Array.from({ length: count }, (_, i) => `gfm${pid}-${i}`);
  const close = () => {
    for (const name of names) attempt('netns', 'del', name);
    attempt('link', 'del', bridge);
  };
  try {
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('addr', 'add', `${NET}.1/24`, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    for (const [i, name] of names.entries()) join(name, `gfv${pid % 100_000}-${i}`, `${NET}.${i + 2}/24`, bridge);
    return {
      what: 'network namespaces',
      host: `${NET}.1`,
      on: (machine, command) => ['ip', 'netns', 'exec', names[machine] ?? '', ...command],
      close,
    };
  } catch (error) {
    close();
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return {
      what: `processes, because network namespaces are not possible here: ${why}`,
      host: '127.0.0.1',
      // The cast is safe because a command always has a program as its first word.
      on: (_, command) => command as [string, ...string[]],
      close: () => {},
    };
  }
}

/** Creates a namespace, and connects it to the bridge. */
function join(name: string, cable: string, address: string, bridge: string): void {
  ip('netns', 'add', name);
  ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
  ip('link', 'set', cable, 'master', bridge, 'up');
  ip('-n', name, 'addr', 'add', address, 'dev', 'eth0');
  ip('-n', name, 'link', 'set', 'eth0', 'up');
  ip('-n', name, 'link', 'set', 'lo', 'up');
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Runs a command that may fail, such as the deletion of a namespace that does not exist. */
function attempt(...args: readonly string[]): void {
  try {
    ip(...args);
  } catch {
    // The failure is harmless.
  }
}
