/**
 * One, two and three nodes on one PostgreSQL database, behind a small load balancer: measures the rate of stored uplinks and
 * the CPU time for them. The nodes, the database and the load share this machine, so more nodes are not faster here. The
 * benchmark asserts that they need little more CPU time. Then a node is killed in the middle of a run: no message may be lost,
 * stored twice or delivered twice.
 */
import pg from 'pg';
import { API_KEY as CHAOS_KEY, Fleet } from '../../scripts/chaos/fleet.js';
import { balance, countsOf, faultsOf } from '../../scripts/chaos/ledger.js';
import { type ServeProcess, startServe } from '../../scripts/support/serve-process.js';
import { keyFrom } from '../../src/cloud/store/secrets/key.js';
import { type PostgresServer, startPostgres } from '../../test/support/postgres/server.js';
import type { Bench, BenchResult } from '../result.js';
import { size } from '../size.js';
import { type BareServer, startBare } from './bare.js';
import { sendUplinks } from './flap-load.js';
import { registerFleet } from './fleet.js';
import { postUplinks } from './http-load.js';
import { cpuOf, cpuOfFamily, parentOf, peakMemory } from './processes.js';

/** Numbers of nodes. With `--quick`, only those that are compared. */
const NODES = size({ quick: 2, usual: 3 }) === 2 ? [1, 3] : [1, 2, 3];
/** Number of addresses from which the devices send. The balancer keeps each address with one node. */
const SOURCES = 12;
const DEVICES_OF_SOURCE = 50;
const MESSAGES = size({ quick: 8, usual: 15, full: 30 });
const HTTP_MS = size({ quick: 1000, usual: 2000, full: 4000 });
/** Measured rounds for each number of nodes: the middle one counts, because other work on the machine disturbs single rounds. */
const ROUNDS = size({ quick: 1, usual: 3 });
/** Lowest accepted ratio of the CPU time for an uplink with one node to that with three: three may take 1.5 times as much. */
const LIMIT = 1 / 1.5;
/** Duration of the load before the kill, and of the load after it. */
const AROUND_KILL_MS = 1500;
const KEY = keyFrom('5'.repeat(64), 'the key of the benchmark');

export const severalNodes: Bench = {
  name: 'several-nodes',
  async run() {
    const server = await startPostgres({ durable: true });
    try {
      await (await registerFleet(server.url, SOURCES * DEVICES_OF_SOURCE, KEY)).store.close();
      const measured: Measured[] = [];
      for (const count of NODES) measured.push(await measure(server, count));
      return [...comparison('UDP', measured), ...comparison('HTTP', measured), await killed()];
    } finally {
      await server.stop();
    }
  },
};

interface Measured {
  readonly count: number;
  readonly UDP: Figures;
  readonly HTTP: Figures;
  /** Memory of the largest node, in MiB. */
  readonly memory: number;
}

/** Uplinks a second, and CPU time in milliseconds for 1,000 of them. */
interface Figures {
  readonly rate: number;
  readonly nodes: number;
  readonly database: number;
}

/** CPU time in milliseconds for 1,000 uplinks. */
function costOf({ nodes, database }: Figures): number {
  return nodes + database;
}

/** Nodes behind a load balancer, which uses the same port number for TCP and UDP. */
interface Group {
  readonly nodes: readonly ServeProcess[];
  readonly balancer: BareServer;
  end(): Promise<void>;
}

async function startGroup(db: string, count: number, apiKey: string): Promise<Group> {
  const nodes: ServeProcess[] = [];
  for (let n = 0; n < count; n++) nodes.push(await startServe(['--db', db, '--api-key', apiKey]));
  const balancer = await startBare('cloud/balancer', ...nodes.map(({ ports }) => `${ports.http}:${ports.udp}`));
  const end = async () => {
    await balancer.end();
    await Promise.all(nodes.map((node) => node.end('SIGTERM')));
  };
  return { nodes, balancer, end };
}

let round = 0;

async function measure({ url }: PostgresServer, count: number): Promise<Measured> {
  const group = await startGroup(url, count, 'bench-key');
  const database = await postmaster(url);
  const { port } = group.balancer;
  const figures = async (load: () => Promise<number>): Promise<Figures> => {
    const before = [group.nodes.reduce((sum, { pid }) => sum + cpuOf(pid), 0), cpuOfFamily(database)] as const;
    const began = performance.now();
    const stored = await load();
    const seconds = (performance.now() - began) / 1000;
    const nodes = (group.nodes.reduce((sum, { pid }) => sum + cpuOf(pid), 0) - before[0]) / (stored / 1000);
    return { rate: stored / seconds, nodes, database: (cpuOfFamily(database) - before[1]) / (stored / 1000) };
  };
  const typical = async (load: () => Promise<number>): Promise<Figures> => {
    await load();
    const rounds: Figures[] = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push(await figures(load));
    rounds.sort((a, b) => costOf(a) - costOf(b));
    // The cast is safe because the number of rounds is odd.
    return rounds[(ROUNDS - 1) / 2] as Figures;
  };
  /** Each address, with the numbers of its devices. */
  const sources = Array.from({ length: SOURCES }, (_, source) => ({
    ...{ port, devices: DEVICES_OF_SOURCE, first: source * DEVICES_OF_SOURCE, from: `127.0.0.${10 + source}` },
  }));
  const overUdp = async () => {
    round++;
    await Promise.all(sources.map((source) => sendUplinks({ ...source, round, messages: MESSAGES })));
    return SOURCES * DEVICES_OF_SOURCE * MESSAGES;
  };
  const overHttp = async () => {
    const began = performance.now();
    const rates = await Promise.all(sources.map((source) => postUplinks({ ...source, milliseconds: HTTP_MS })));
    return rates.reduce((sum, rate) => sum + rate, 0) * ((performance.now() - began) / 1000);
  };
  const [UDP, HTTP] = [await typical(overUdp), await typical(overHttp)];
  const memory = Math.max(...group.nodes.map(({ pid }) => peakMemory(pid)));
  await group.end();
  return { count, UDP, HTTP, memory };
}

/** Process id of the PostgreSQL process that has started all other processes of the database. */
async function postmaster(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = parentOf(rows[0]?.pid ?? 0);
  await client.end();
  return pid;
}

function comparison(kind: 'UDP' | 'HTTP', measured: readonly Measured[]): readonly BenchResult[] {
  const costs = measured.map((each) => costOf(each[kind]));
  const detail = measured.map(({ count, memory, ...each }) => {
    const { rate, nodes, database } = each[kind];
    return `${count}: ${Math.round(rate)}/s, ${nodes.toFixed(0)} + ${database.toFixed(0)} ms, ${memory} MiB`;
  });
  return [
    {
      what: `CPU time of 1,000 durable uplinks over ${kind} with one node, against three nodes on the same database`,
      ratio: (costs[0] ?? 0) / (costs.at(-1) ?? 0),
      limit: LIMIT,
      detail: `nodes: rate, CPU of nodes + database for 1,000, memory of a node · ${detail.join(' · ')}`,
    },
  ];
}

/** Kills one of three nodes while devices report and fetch commands through the balancer. */
async function killed(): Promise<BenchResult> {
  const server = await startPostgres({ durable: true });
  const group = await startGroup(server.url, 3, CHAOS_KEY);
  const [first, victim] = group.nodes as [ServeProcess, ServeProcess];
  const { port } = group.balancer;
  try {
    const fleet = new Fleet({ apis: [`http://127.0.0.1:${port}`], udpPorts: [port], spaceId: first.spaceId });
    await fleet.start();
    await sleep(AROUND_KILL_MS);
    await victim.end('SIGKILL');
    await sleep(AROUND_KILL_MS);
    await fleet.stop();
    const client = fleet.client();
    const ledger = fleet.ledger();
    const result = await balance(client, ledger);
    let twice = 0;
    for (const id of ledger.queued.values()) {
      const sent = (await client.timeline(id)).filter(({ what }) => what === 'sent').length;
      if (sent > 1) twice++;
    }
    await client.close();
    const faults = faultsOf(result).length + twice;
    return {
      what: 'one of three nodes is killed in the middle of a run: nothing is lost, doubled or delivered twice',
      ratio: faults === 0 && result.uplinks > 0 && result.commands > 0 ? 1 : 0,
      limit: 1,
      detail: `${countsOf(result)}, ${twice} recorded as delivered twice`,
    };
  } finally {
    await group.end();
    await server.stop();
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
