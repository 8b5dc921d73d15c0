/**
 * As little as makes an uplink durable over HTTP: fastify checks a body, better-sqlite3 writes it, and those that arrive in one
 * turn of the event loop share a transaction. Prints its port.
 */
import BetterSqlite from 'better-sqlite3';
import fastify from 'fastify';

const db = new BetterSqlite(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE message (id INTEGER PRIMARY KEY, serial TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL)');
const insert = db.prepare('INSERT INTO message (serial, at, body) VALUES (?, ?, ?)');
const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];

let waiting: { readonly serial: string; readonly body: unknown; readonly done: () => void }[] = [];

function flush(): void {
  const batch = waiting;
  waiting = [];
  begin.run();
  for (const { serial, body } of batch) insert.run(serial, Date.now(), JSON.stringify(body));
  commit.run();
  for (const { done } of batch) done();
}

const app = fastify();
const body = { type: 'object', required: ['type'], properties: { type: { type: 'string' }, body: { type: 'object' } } };
app.post<{ Params: { serial: string } }>('/v2/device/:serial/uplink', { schema: { body } }, async (request) => {
  await new Promise<void>((done) => {
    waiting.push({ serial: request.params.serial, body: request.body, done });
    if (waiting.length === 1) setImmediate(flush);
  });
  return { poll: false };
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(new URL(address).port);
