/** The API of a cloud other than the embedded one: its address and key, and the spaces of a run. */
import { type ClientOptions, DeviceCloudClient, type HttpOptions } from '../../client/client.js';
import { isMachineFailure } from '../../client/errors.js';
import { quote } from '../../input/problems.js';
import { EXIT, GhostfleetError, messageOf, UsageError } from '../../kernel/errors.js';
import { RealClock } from '../../kernel/real-clock.js';
import { shownAddress } from '../../kernel/web-address.js';
import { limitOf, makeGate, type Pace, type Patience } from './paced.js';
import type { RequestLimit } from './request-limit.js';
import type { TargetClock } from './target-clock.js';

/** Addresses and keys of a cloud other than the embedded one. */
export interface RemoteCloud {
  /** Base address of its API, such as `https://cloud.example`. */
  readonly api: string;
  /** Secret. */
  readonly apiKey: string;
  /** The space of the run. Default null: the first space that the key opens. */
  readonly spaceId?: string | null;
  /**
   * The API key of a further space, by the name of the space in the scenario. Secret. Default: no further space has a key.
   * @throws UsageError if the key for this space is missing
   */
  readonly keyOf?: (space: string) => string;
  /** The UDP gateway. Default null: devices use the device ingress of the API. */
  readonly gateway?: {
    readonly host: string;
    /** For base64 datagrams. */
    readonly port: number;
    /** For hio devices: raw datagrams. Default 5002. */
    readonly rawPort?: number | undefined;
    /** For hio devices with DTLS. Default 5005. */
    readonly dtlsPort?: number | undefined;
  } | null;
  /** Limits of the requests. Default: at most 16 concurrent ones, and any number a second. */
  readonly pace?: Partial<Pace>;
}

/** A cloud with all that {@link RemoteCloud} may leave out. */
export type TargetCloud = Required<Omit<RemoteCloud, 'pace'>> & { readonly pace: Pace };

/** Concurrent requests to a cloud. */
const AT_ONCE = 16;

export function targetCloud({ spaceId, keyOf, gateway, pace, ...address }: RemoteCloud): TargetCloud {
  return {
    ...address,
    spaceId: spaceId ?? null,
    keyOf: keyOf ?? refuseSpace,
    gateway: gateway ?? null,
    pace: { atOnce: pace?.atOnce ?? AT_ONCE, perSecond: pace?.perSecond ?? null },
  };
}

function refuseSpace(space: string): never {
  throw new UsageError('no-space-key', `no API key for the space ${quote(space)}; give "cloud" a function "keyOf"`);
}

/** What a run needs of the API: the options of its client, and the clients of further spaces. */
export interface RemoteApi {
  /** Options for a client of the space of the run. */
  readonly options: ClientOptions;
  /** The limit of requests, which the loads of the run share; undefined for none. */
  readonly limit: RequestLimit | undefined;
  /** The API for a further space, by the name of the space in the scenario. @throws UsageError without a key for this space */
  openSpace(name: string): Promise<DeviceCloudClient>;
  /** Closes the clients of further spaces. */
  closeSpaces(): Promise<void>;
}

/**
 * @param times measures the clock of the cloud
 * @param patience how long requests wait that the cloud has rejected
 * @param secrets texts that no error may show. Default: none besides the keys
 * @throws UsageError if the API cannot be used
 */
export async function openApi(
  cloud: TargetCloud,
  times: TargetClock,
  patience: Patience,
  secrets: readonly string[] = [],
): Promise<RemoteApi> {
  // A real clock, because requests also wait while the clock of the run is frozen.
  const clock = new RealClock();
  const limit = limitOf(cloud.pace, clock);
  const gate = makeGate(cloud.pace, clock, patience, limit);
  const dated = () => {
    const sent = times.now;
    return (date: string) => times.noteDated(date, sent);
  };
  const options = { baseUrl: cloud.api, apiKey: cloud.apiKey, connections: cloud.pace.atOnce, gate, dated, secrets };
  const spaceId = await findSpace(options, cloud.spaceId);
  const further: DeviceCloudClient[] = [];
  return {
    options: { ...options, spaceId },
    limit,
    openSpace: async (name) => {
      const theirs = { ...options, apiKey: cloud.keyOf(name) };
      const opened = await findSpace(theirs, null);
      if (opened === spaceId) {
        throw new UsageError('foreign-api-key', `the key for the space "${name}" opens the space of the fleet`);
      }
      const client = new DeviceCloudClient({ ...theirs, spaceId: opened });
      further.push(client);
      return client;
    },
    closeSpaces: async () => {
      await Promise.all(further.map((client) => client.close()));
    },
  };
}

/** Id of the wanted space; if `wanted` is null, of the first space that the key opens. Checks that the key opens this space. */
async function findSpace(options: HttpOptions & { readonly apiKey: string }, wanted: string | null): Promise<string> {
  const client =
    wanted === null ? DeviceCloudClient.connect(options) : new DeviceCloudClient({ ...options, spaceId: wanted });
  try {
    const { spaceId } = await client;
    await (await client).devices({ limit: 1 });
    return spaceId;
  } catch (error) {
    const message = `${shownAddress(options.baseUrl)} is not usable: ${messageOf(error)}`;
    if (isMachineFailure(error)) throw new GhostfleetError('machine-failed', message, EXIT.invalid);
    throw new UsageError('bad-target', message);
  } finally {
    await Promise.resolve(client).then(
      (opened) => opened.close(),
      () => {},
    );
  }
}
