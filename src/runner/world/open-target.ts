/** Opens the cloud of a run or of a part: the embedded cloud in this thread or in the thread of the run, or another cloud. */
import type { NamedKey } from '../../cloud/store/secrets/key.js';
import type { DrivenClock } from '../../kernel/clock.js';
import { UsageError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Random } from '../../kernel/random.js';
import type { Profile } from '../../profile/profile.js';
import { kindOf } from '../../scenario/faults/index.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { Trace } from '../../trace/events.js';
import type { Failed } from '../../transport/transport.js';
import { openEmbeddedTarget, type TransportName } from '../targets/embedded.js';
import type { Patience } from '../targets/paced.js';
import { openRemoteTarget } from '../targets/remote.js';
import type { TargetCloud } from '../targets/remote-api.js';
import { openServedTarget, type ServedCloud } from '../targets/served.js';
import type { Target } from '../targets/target.js';

/** The options that choose the cloud of a run. */
export interface TargetOptions {
  readonly plan: Plan;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly clock: 'virtual' | 'real';
  /** Simulated milliseconds per real millisecond; only for the real clock. */
  readonly speed: number;
  /** A cloud to use instead of the embedded one; needs the real clock. */
  readonly cloud?: TargetCloud | undefined;
  /** Hosts with public addresses to which connectors of the embedded cloud may send. Default: none. */
  readonly connectorHosts?: readonly string[] | undefined;
  /** Transport to the embedded cloud. */
  readonly transport: TransportName;
  /** Where the embedded cloud keeps its data: a path, an address of PostgreSQL, or `memory`. */
  readonly db: string;
  /** Key for the secrets in a PostgreSQL database. Default: a random key, so that no other service can open the database. */
  readonly secretsKey?: NamedKey | undefined;
  readonly log: Log;
  /** Folder with the built web console, for the embedded cloud. Default: it has no console. */
  readonly webConsole?: string | undefined;
}

/** What a run and its cloud use together. */
export interface TargetParts {
  readonly clock: DrivenClock;
  readonly trace: Trace;
  readonly random: Random;
  /** Receives the failures of this machine. */
  readonly failed: Failed;
  readonly patience: Patience;
}

/**
 * @param served the embedded cloud of the run, if it is in another thread
 * @throws UsageError if the cloud cannot be used, or if it does not support a service fault of the scenario
 */
export function openTarget(options: TargetOptions, parts: TargetParts, served?: ServedCloud): Promise<Target> {
  const { transport, db, log, plan, cloud, speed } = options;
  const { faults, cloud: settings, secrets = [] } = plan;
  if (served !== undefined) return openServedTarget({ ...parts, secrets, cloud: served });
  if (cloud === undefined) {
    return openEmbeddedTarget({
      ...parts,
      log,
      transport,
      db,
      space: plan.scenario,
      secrets,
      faults,
      virtual: options.clock === 'virtual',
      settings,
      secretsKey: options.secretsKey,
      connectorHosts: options.connectorHosts ?? [],
      webConsole: options.webConsole,
    });
  }
  const unknown = faults.find((fault) => kindOf(fault).service !== undefined);
  if (unknown !== undefined) throw new UsageError('bad-fault', `the fault ${unknown.kind} requires the embedded cloud`);
  const serials = new Set(plan.devices.map(({ serial }) => serial));
  return openRemoteTarget({ cloud, secrets, log, serials, profiles: options.profiles.values(), speed, ...parts });
}
