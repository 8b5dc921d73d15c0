/** OpenSSL as the other end, in a process of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { IDENTITY, PSK } from './pair.js';

const SUITE = 'PSK-AES128-CCM8';

/** Why OpenSSL cannot be used; undefined if it can. */
export const withoutOpenssl: string | undefined = (() => {
  const { status, stdout } = spawnSync('openssl', ['ciphers', '-psk', '-s', '-tls1_2', `${SUITE}:@SECLEVEL=0`]);
  if (status === null) return 'no program "openssl" in the PATH';
  return status === 0 && String(stdout).includes(SUITE) ? undefined : `this openssl does not have ${SUITE}`;
})();

export interface Openssl {
  /** The text that it has printed so far. */
  output(): string;
  write(text: string): void;
  /** Ends the standard input. `s_client` then closes its connection. */
  endInput(): void;
  /** Ends the process. */
  stop(): Promise<void>;
}

/** `openssl s_client` that connects to a port of this machine. */
export function sClient(port: number, { psk = PSK, identity = IDENTITY } = {}): Openssl {
  return start(['s_client', '-dtls1_2', '-connect', `127.0.0.1:${port}`, ...keys(psk), '-psk_identity', identity]);
}

/** `openssl s_server` on a free port; its output names the port. */
export function sServer(psk: Uint8Array = PSK): Openssl {
  return start(['s_server', '-dtls1_2', '-accept', '127.0.0.1:0', ...keys(psk), '-nocert', '-psk_identity', IDENTITY]);
}

/** A UDP socket on a free port of this machine. */
export function openSocket(): Promise<Socket> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(socket)));
}

function keys(psk: Uint8Array): readonly string[] {
  return ['-psk', Buffer.from(psk).toString('hex'), '-cipher', SUITE];
}

function start(args: readonly string[]): Openssl {
  const child = spawn('openssl', args, { stdio: 'pipe' });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  const note = (text: Buffer) => {
    output += text;
  };
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  // A write fails if the process has ended.
  child.stdin.on('error', () => {});
  return {
    output: () => output,
    write: (text) => child.stdin.write(text),
    endInput: () => child.stdin.end(),
    stop: () => {
      child.kill();
      return gone;
    },
  };
}
