/**
 * Checks before a run that this process may open all the sockets that its plan needs. Otherwise some devices would have no
 * socket, which looks like a cloud that does not answer them.
 */
import { UsageError } from '../../kernel/errors.js';
import { countOf } from '../../kernel/quantity.js';
import type { Profile } from '../../profile/profile.js';
import type { Plan } from '../../scenario/model/plan.js';
import { CONNECTIONS } from '../load/callers.js';
import { usesDtls } from './connection.js';
import { makeKinds } from './fleet.js';

/** Modules, event log, database, shared sockets, and connections for provisioning and steps. */
const OTHERS = 200;

/** The suggested limit is a multiple of this number. */
const STEP = 1024;

interface Sockets {
  /** Whether datagrams of devices travel over UDP. */
  readonly udp: boolean;
  /** Whether the service is in this process, so that each connection has both its ends here. */
  readonly service: boolean;
  /** Whether time is virtual: a caller of loads then has one connection. */
  readonly virtual: boolean;
}

/**
 * @param limit most open files; undefined for no limit
 * @throws UsageError that says which limit is needed
 */
export function checkOpenFiles(
  plan: Plan,
  profiles: ReadonlyMap<string, Profile>,
  { udp, service, virtual }: Sockets,
  limit: number | undefined,
): void {
  const devices = udp ? countOwnSockets(plan, profiles) : 0;
  const connections = countConnections(plan, virtual ? 1 : CONNECTIONS);
  const needed = devices + connections * (service ? 2 : 1) + OTHERS;
  if (limit === undefined || needed <= limit || devices + connections === 0) return;
  const users = [
    ...(devices > 0
      ? [`${countOf(devices, 'device')} with DTLS ${devices === 1 ? 'needs a socket' : 'need a socket each'}`]
      : []),
    ...(connections > 0 ? [`loads need ${countOf(connections, 'connection')}`] : []),
  ];
  throw new UsageError(
    'open-files',
    `the limit of open files is ${limit}, but the run needs about ${needed}: ${users.join(', and ')}`,
    `raise it, for example with "ulimit -n ${Math.ceil(needed / STEP) * STEP}"`,
  );
}

function countOwnSockets(plan: Plan, profiles: ReadonlyMap<string, Profile>): number {
  const dtls = makeKinds(plan, profiles).map(usesDtls);
  return plan.devices.filter(({ group }) => dtls[group]).length;
}

/** Connections that the users of loads have open at the same time. @param most of one caller */
function countConnections({ loads }: Plan, most: number): number {
  const users = new Map<string | undefined, number>();
  for (const { as, pace } of loads) {
    if (pace.kind === 'closed') users.set(as, (users.get(as) ?? 0) + pace.users);
  }
  return [...users.values()].reduce((sum, count) => sum + Math.min(count, most), 0);
}
