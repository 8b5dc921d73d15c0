/** What serve.test.ts and serve.long.test.ts share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { SERIAL, TOKEN } from '../support/cloud.js';
import { ghostfleet } from '../support/host.js';

export interface Running {
  readonly hello: {
    readonly api: string;
    readonly udp: number;
    readonly udpRaw: number;
    readonly spaceId: string;
    readonly apiKey?: string;
    readonly console: string;
  };
  /** Ends the service like Ctrl-C; resolves with the exit code. */
  end(): Promise<number>;
}

export function clientOf({ hello }: Running, apiKey = hello.apiKey ?? ''): DeviceCloudClient {
  return new DeviceCloudClient({ baseUrl: hello.api, apiKey, spaceId: hello.spaceId });
}

export const PASSWORD = 'correct horse battery staple';
export const registration = { name: 'freezer', serial_number: String(SERIAL), token: TOKEN };

/** Gives each test of a file a folder of its own, and ends the services that the test has started. */
export function useServices() {
  let directory = '';
  let running: Running[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ghostfleet-serve-'));
  });

  afterEach(async () => {
    for (const { end } of running) await end();
    running = [];
    rmSync(directory, { recursive: true });
  });

  const database = () => ['--db', join(directory, 'cloud.db')];

  /** Starts the service on free ports, in this process, and reads its first line. */
  function serve(...more: readonly string[]): Promise<Running> {
    return new Promise((resolve, reject) => {
      let stop = () => {};
      const interruptWhen = new Promise<void>((interrupt) => {
        stop = interrupt;
      });
      const watchOut = (out: string): void => {
        if (!out.includes('\n')) return;
        const end = async () => {
          stop();
          return (await ended).exit;
        };
        const service = { hello: JSON.parse(out), end };
        running.push(service);
        resolve(service);
      };
      const args = ['serve', '--json', '--port', '0', '--udp-port', '0', '--udp-raw-port', '0', ...database(), ...more];
      // A password that was read from a file usually has a line end.
      const ended = ghostfleet(args, {
        env: { GHOSTFLEET_ADMIN_PASSWORD: `${PASSWORD}\r\n` },
        interruptWhen,
        watchOut,
      });
      void ended.then(({ err }) => reject(new Error(`the service did not start: ${err}`)));
    });
  }

  return { serve, database, folder: () => directory };
}
