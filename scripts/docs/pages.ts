/** What the commands of a document need besides its files: clouds and servers in place of those that the document names. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Session } from './session.js';

/** Texts of a document, and what takes their place. */
type Replacements = readonly (readonly [shown: string, used: string])[];

export interface Prepared {
  readonly replaced: Replacements;
  /** A sentence if an expected effect of the commands is missing. */
  end(): Promise<string | undefined>;
}

const NOTHING: Prepared = { replaced: [], end: async () => undefined };
const FREE_PORT: Prepared = { ...NOTHING, replaced: [['--metrics-port 9188', '--metrics-port 0']] };

/** A fleet whose history is recorded: a minute and a half in real time. */
const HISTORY = `name: history
duration: 90s
settle: 20s
fleet:
  - { name: depot, profile: clime, count: 4, boot: { over: 2s }, config: { interval-report: 30, interval-poll: 30 } }
steps:
  - { at: 50s, over: 10s, commands: [info show] }
`;

/** Prepares the session for the commands of a document. */
export async function prepare(page: string, session: Session): Promise<Prepared> {
  if (page === 'docs/RECORD.md') return cloudWithHistory(session);
  if (page === 'docs/SCENARIOS.md') return emptyCloud(session);
  if (page === 'docs/TELEMETRY.md') return collector();
  if (page === 'docs/REPORTS.md') return FREE_PORT;
  if (page === 'docs/EXPLAIN.md') {
    await cloudWithHistory(session);
    await session.run('ghostfleet record --target $TARGET --after 1h --out depot.jsonl');
  }
  return NOTHING;
}

async function emptyCloud(session: Session): Promise<Prepared> {
  const { api, udp, apiKey } = await cloud(session);
  return {
    ...NOTHING,
    replaced: [
      ['GHOSTFLEET_API_KEY=…', `GHOSTFLEET_API_KEY=${apiKey}`],
      ['https://cloud.example', api],
      ['cloud.example:5003', `127.0.0.1:${udp}`],
    ],
  };
}

async function cloudWithHistory(session: Session): Promise<Prepared> {
  const { api, udp, apiKey } = await cloud(session);
  session.set('GHOSTFLEET_API_KEY', apiKey);
  session.set('TARGET', api);
  writeFileSync(join(session.folder, 'history.yaml'), HISTORY);
  const { exitCode, output } = await session.run(
    `ghostfleet run history.yaml --target ${api} --udp 127.0.0.1:${udp} --keep`,
  );
  if (exitCode !== 0) throw new Error(`the history of a fleet could not be made: ${output}`);
  return {
    ...NOTHING,
    // The recorded history is only minutes old, not days as in the document.
    replaced: [
      ['https://cloud.example', api],
      ['--after 2d --before 1d', '--after 1h'],
    ],
  };
}

interface Cloud {
  readonly api: string;
  readonly udp: number;
  readonly apiKey: string;
}

async function cloud(session: Session): Promise<Cloud> {
  const ports = '--port 0 --udp-port 0 --udp-raw-port 0';
  const hello = await session.start(`ghostfleet serve --json --db memory ${ports}`, /\n/, 0);
  const { api, udp, apiKey } = JSON.parse(hello.split('\n')[0] ?? '');
  return { api, udp, apiKey };
}

/** Accepts telemetry, in place of a collector. */
async function collector(): Promise<Prepared> {
  let exports = 0;
  const server = createServer((request, response) => {
    if (request.method === 'POST' && request.url === '/v1/metrics') exports++;
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    replaced: [
      ['http://localhost:4318', `http://127.0.0.1:${port}`],
      ['ghostfleet serve', 'ghostfleet serve --db memory --port 0 --udp-port 0 --udp-raw-port 0'],
    ],
    end: async () => {
      server.close();
      return exports > 0 ? undefined : 'no metrics were sent to the collector';
    },
  };
}
