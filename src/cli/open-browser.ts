/** Opens an address in the browser of the user. */
import { spawn } from 'node:child_process';
import { platform } from 'node:os';

/** The program that opens an address, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` takes the first text in quotes as the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
};

/** If no browser can be started, does nothing: the command prints the address, too. */
export function openBrowser(address: string): void {
  const [program, ...args] = OPENERS[platform()] ?? ['xdg-open'];
  const opening = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
  opening.on('error', () => {});
  opening.unref();
}
