/**
 * Kills the processes of a service again and again during traffic. Nothing that was acknowledged may be lost, doubled or
 * reordered.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { between, seededRandom } from '../../src/kernel/random.js';
import type { Verdict } from '../support/proof.js';
import { FREE_PORTS, type ServeProcess, startServe } from '../support/serve-process.js';
import { API_KEY, Fleet } from './fleet.js';
import { settle } from './settle.js';
import { openStoreFor } from './stores.js';

/** How often a port that is in use is tried, and the pause between two tries. */
const PORT_TRIES = 60;
const PORT_WAIT_MS = 500;
/** Time from the moment when a node accepts requests until one is killed. */
const LIFE_MS = { shortest: 50, longest: 700 };

interface Kills {
  readonly store: 'sqlite' | 'postgres';
  readonly kills: number;
  /** Services on the database; they are killed in turn. */
  readonly nodes: number;
}

export async function surviveKills({ store: kind, kills, nodes: count }: Kills): Promise<Verdict> {
  const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-chaos-'));
  const store = await openStoreFor(kind, directory);
  const args = ['--db', store.db, '--api-key', API_KEY];
  const nodes: ServeProcess[] = [];
  try {
    for (let n = 0; n < count; n++) nodes.push(await startServe(args, FREE_PORTS));
    const fleet = new Fleet({
      apis: nodes.map(({ api }) => api),
      udpPorts: nodes.map(({ ports }) => ports.udp),
      spaceId: nodes[0]?.spaceId ?? '',
    });
    await fleet.start();
    await killInTurn(nodes, kills, args);
    const { held, counts } = await settle(fleet);
    return {
      what: `${kills} kills of ${count === 1 ? 'a service' : `${count} services`} on ${kind}`,
      held,
      detail: counts,
    };
  } finally {
    for (const node of nodes) await node.end('SIGKILL');
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

async function killInTurn(nodes: ServeProcess[], kills: number, args: readonly string[]): Promise<void> {
  const random = seededRandom('chaos');
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, between(random, LIFE_MS.shortest, LIFE_MS.longest)));
    const index = kill % nodes.length;
    const node = nodes[index] as ServeProcess;
    if (!node.alive) throw new Error(`a service ended by itself: ${node.complaints}`);
    await node.end('SIGKILL');
    nodes[index] = await startAgain(node, args);
  }
}

/**
 * Starts on the same ports, because the devices know no others. Tries again if another process has taken one of the ports
 * meanwhile.
 */
async function startAgain(before: ServeProcess, args: readonly string[]): Promise<ServeProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await startServe(args, before.ports);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!/EADDRINUSE|in use/.test(reason) || tries === PORT_TRIES)
        throw new Error(`no start after a kill: ${reason}`);
      await new Promise((resolve) => setTimeout(resolve, PORT_WAIT_MS));
    }
  }
}
