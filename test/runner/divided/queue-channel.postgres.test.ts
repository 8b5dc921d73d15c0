/** The channel between a run and the worker of one of its parts, through the tables of a queue in PostgreSQL. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { seconds } from '../../../src/kernel/time.js';
import { QueueDatabase } from '../../../src/runner/divided/queue/database.js';
import { QueueChannel } from '../../../src/runner/divided/queue/queue-channel.js';
import { QUEUE } from '../../../src/runner/divided/queue/schema.js';
import { seal } from '../../../src/runner/divided/queue/sealed.js';
import { channelContract } from '../../contracts/channel/channel.js';
import { newSeparateDatabase, query } from '../../support/postgres/databases.js';

const url = await newSeparateDatabase();
const API_KEY = 'the key of the target';
const RUN = '01234567-89ab-4def-8123-456789abcdef';
let databases: readonly [run: QueueDatabase, part: QueueDatabase];
let parts = 0;
let channels: QueueChannel<unknown, unknown>[] = [];

beforeAll(async () => {
  databases = [await QueueDatabase.open(url), await QueueDatabase.open(url)];
});

afterEach(async () => {
  await Promise.all(channels.map((channel) => channel.close()));
  channels = [];
});

afterAll(async () => {
  for (const database of databases) await database.close();
});

async function newPart(): Promise<number> {
  const part = ++parts;
  await query(url, `INSERT INTO ${QUEUE}.part (run, number) VALUES ('${RUN}', ${part})`);
  return part;
}

function openEnd(
  side: 'run' | 'part',
  part: number,
  database = databases[side === 'run' ? 0 : 1],
  // Long, because a busy machine may take seconds for a new connection.
  silence = seconds(60),
) {
  const channel = new QueueChannel<unknown, unknown>({ database, run: RUN, part, side, silence, apiKey: API_KEY });
  channels.push(channel);
  return channel;
}

async function open() {
  const part = await newPart();
  return { run: openEnd('run', part), part: openEnd('part', part) };
}

channelContract(open);

it('messages in the queue survive broken connections, and none arrives twice', async () => {
  const { run, part } = await open();
  const received: unknown[] = [];
  for (let number = 0; number < 60; number++) {
    if (number % 20 === 10) {
      await query(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ghostfleet queue'",
      );
    }
    part.send(number);
    if (number % 7 === 0) received.push(await run.next());
  }
  while (received.length < 60) received.push(await run.next());
  expect(received).toEqual(Array.from({ length: 60 }, (_, i) => i));
});

it('messages that were read are deleted from the queue', async () => {
  const { run, part } = await open();
  part.send('first');
  expect(await run.next()).toBe('first');
  part.send('second');
  expect(await run.next()).toBe('second');
  const rows = await query<{ number: string }>(url, `SELECT number FROM ${QUEUE}.message WHERE part = ${parts}`);
  expect(rows.map(({ number }) => Number(number))).not.toContain(1);
});

it.each([
  ['with another key', (part: number) => seal({ kind: 'end' }, 'guessed', `${RUN}/${part}/part/1`)],
  ['of another part', (part: number) => seal({ kind: 'end' }, API_KEY, `${RUN}/${part + 1}/part/1`)],
  ['of another run', (part: number) => seal({ kind: 'end' }, API_KEY, `${RUN.replace('0', '1')}/${part}/part/1`)],
  ['with another number', (part: number) => seal({ kind: 'end' }, API_KEY, `${RUN}/${part}/part/2`)],
  ['of the other direction', (part: number) => seal({ kind: 'end' }, API_KEY, `${RUN}/${part}/run/1`)],
  ['of a few bytes', () => new Uint8Array(3)],
])('a message %s ends the connection and is not passed on', async (_, forge) => {
  const part = await newPart();
  const body = Buffer.from(forge(part)).toString('hex');
  await query(url, `INSERT INTO ${QUEUE}.message VALUES ('${RUN}', ${part}, true, 1, '\\x${body}')`);
  await expect(openEnd('run', part).next()).rejects.toThrow('a message in the queue is forged, or was moved there');
});

it.each([1, 2])('the removal of message %i of 3 ends the connection', async (removed) => {
  const part = await newPart();
  for (const number of [1, 2, 3].filter((each) => each !== removed)) {
    const body = Buffer.from(seal({ number }, API_KEY, `${RUN}/${part}/part/${number}`)).toString('hex');
    await query(url, `INSERT INTO ${QUEUE}.message VALUES ('${RUN}', ${part}, true, ${number}, '\\x${body}')`);
  }
  const run = openEnd('run', part);
  for (let number = 1; number < removed; number++) expect(await run.next()).toEqual({ number });
  await expect(run.next()).rejects.toThrow('a message was removed from the queue');
});

it('an end of the channel counts as lost if its process has vanished', async () => {
  const number = await newPart();
  const other = await QueueDatabase.open(url);
  const part = openEnd('part', number, other);
  const run = openEnd('run', number, databases[0], seconds(0.5));
  part.send('alive');
  expect(await run.next()).toBe('alive');
  // As for a killed process, the connection ends and no more heartbeats are written.
  await other.close();
  await expect(run.next()).rejects.toThrow('no heartbeat for 0.5 s');
});

it('a part that no worker has taken does not count as lost', async () => {
  const run = openEnd('run', await newPart(), databases[0], seconds(0.1));
  const first = await Promise.race([run.next(), new Promise((resolve) => setTimeout(resolve, 700, 'still waiting'))]);
  expect(first).toBe('still waiting');
  await run.close();
});

it.each([
  ['a part', []],
  ['a part that still has messages', ['late']],
] as const)('%s is lost at once when its run is over', async (_, messages) => {
  const { part } = await open();
  await query(url, `DELETE FROM ${QUEUE}.part WHERE number = ${parts}`);
  for (const message of messages) part.send(message);
  await expect(part.next()).rejects.toThrow('the run is over');
});
