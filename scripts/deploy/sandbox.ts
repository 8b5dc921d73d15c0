/**
 * Starts a program as a container would: as the user of the image, on a read-only root file system, and without
 * capabilities. It needs Linux with `unshare` and `setpriv` (util-linux); the network is that of the machine.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Image } from './image.js';

/** Mounts the root file system read-only for one command. The kernel then rejects all writes, even those of root. */
const READ_ONLY = 'mount -o remount,ro,bind / && exec "$@"';
const NO_RIGHTS = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];

/** Words before a command that run it in the sandbox. Root becomes the user of the image; any other user stays the same. */
function wrapper({ user: { uid, gid } }: Image): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  const rights = isRoot ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...NO_RIGHTS] : NO_RIGHTS;
  const namespaces = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  return ['unshare', ...namespaces, 'sh', '-c', READ_ONLY, 'sh', 'setpriv', ...rights];
}

/** Starts the entrypoint of the image with these arguments. */
export function startIn(image: Image, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const [command = '', ...words] = inSandbox(image, args);
  return spawn(command, words, { cwd: join(image.root, image.workdir), env: environment(image, env) });
}

/** Runs the entrypoint of the image with these arguments; returns its exit code and output. */
export function runIn(image: Image, args: readonly string[]): { readonly exit: number | null; readonly out: string } {
  const [command = '', ...words] = inSandbox(image, args);
  const options = { cwd: join(image.root, image.workdir), env: environment(image, {}), encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(command, words, options);
  return { exit: status, out: stdout + stderr };
}

/** What the sandbox lets a program do: its user, its capabilities, and the folders in which it can create a file. */
export function rightsIn(image: Image): string {
  const script = [
    'echo "user $(id -u), capabilities $(sed -n "s/^CapEff:[[:space:]]*0*$/none/p; s/^CapEff:[[:space:]]*//p" /proc/self/status)"',
    ...['.', '/tmp', '/var/tmp', '$HOME'].map(
      (folder) => `touch ${folder}/written 2>/dev/null && echo "writes ${folder}"`,
    ),
    'true',
  ].join('\n');
  const [command = '', ...words] = [...wrapper(image), 'sh', '-c', script];
  return spawnSync(command, words, { cwd: join(image.root, image.workdir), encoding: 'utf8' }).stdout.trim();
}

function inSandbox(image: Image, args: readonly string[]): readonly string[] {
  const [program = '', ...words] = image.entrypoint;
  // Starts the Node of this machine, whatever the search path of the sandbox is.
  const first = program === 'node' ? process.execPath : program;
  const ours = words.map((word) => (word.startsWith('/') ? join(image.root, word) : word));
  return [...wrapper(image), first, ...ours, ...args];
}

function environment(image: Image, env: Readonly<Record<string, string>>): Record<string, string> {
  return { PATH: process.env.PATH ?? '', ...image.env, ...env };
}
