/** The verdict on a fleet after a trial. */
import type { Fleet } from './fleet.js';
import { balance, countsOf, faultsOf } from './ledger.js';

/** Maximum number of faults to print. */
const SHOWN = 20;

export interface Settled {
  /** Whether there was traffic, and nothing was lost, doubled, altered or reordered. */
  readonly held: boolean;
  readonly counts: string;
}

/** Stops the fleet, compares the acknowledgements with the stored messages, and prints the faults. */
export async function settle(fleet: Fleet): Promise<Settled> {
  await fleet.stop();
  const client = fleet.client();
  const result = await balance(client, fleet.ledger());
  await client.close();
  const faults = faultsOf(result);
  for (const fault of faults.slice(0, SHOWN)) console.log(`     ${fault}`);
  return { held: faults.length === 0 && result.uplinks > 0 && result.commands > 0, counts: countsOf(result) };
}
