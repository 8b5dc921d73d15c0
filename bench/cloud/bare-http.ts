/**
 * A minimal server that durably stores uplinks of known devices over HTTP, with common libraries. fastify checks the body, the
 * token is compared, and better-sqlite3 writes a row with an index by device. Requests that arrive in one turn of the event
 * loop share a transaction. It has no sessions, downlinks or metrics, and does not recognise repeated uplinks. Prints its port.
 */
import { randomUUID, timingSafeEqual } from 'node:crypto';
import BetterSqlite from 'better-sqlite3';
import fastify from 'fastify';
import { tokenOf } from './token.js';

const [path, devices, firstSerial] = process.argv.slice(2);
const db = new BetterSqlite(path);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`CREATE TABLE message (id TEXT PRIMARY KEY, serial INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE INDEX message_of_device ON message (serial, at)`);
const insert = db.prepare('INSERT INTO message (id, serial, at, body) VALUES (?, ?, ?, ?)');
const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
const tokens = new Map<number, Buffer>();
for (let n = 0; n < Number(devices); n++) {
  const serial = Number(firstSerial) + n;
  tokens.set(serial, Buffer.from(tokenOf(serial), 'hex'));
}

interface Waiting {
  readonly serial: number;
  readonly body: unknown;
  readonly done: () => void;
}
let waiting: Waiting[] = [];

function flush(): void {
  const batch = waiting;
  waiting = [];
  begin.run();
  for (const { serial, body } of batch) insert.run(randomUUID(), serial, Date.now(), JSON.stringify(body));
  commit.run();
  for (const { done } of batch) done();
}

const app = fastify();
const schema = {
  body: { type: 'object', required: ['type'], properties: { type: { type: 'string' }, body: { type: 'object' } } },
};
app.post<{ Params: { serial: string } }>('/v2/device/:serial/uplink', { schema }, async (request, reply) => {
  const serial = Number(request.params.serial);
  const known = tokens.get(serial);
  const given = Buffer.from((request.headers.authorization ?? '').slice('Claim '.length), 'hex');
  if (!known || given.length !== known.length || !timingSafeEqual(given, known)) return reply.code(401).send();
  await new Promise<void>((done) => {
    waiting.push({ serial, body: request.body, done });
    if (waiting.length === 1) setImmediate(flush);
  });
  return { poll: false };
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(new URL(address).port);
