/** What a kind of setup is. One file a kind in this folder, listed in index.ts. */
import type { DeviceCloudClient } from '../../client/client.js';
import type { Form } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { NamedText } from '../../input/text-file.js';
import type { Profile } from '../../profile/profile.js';
import type { World } from '../world.js';

/** `O`: the kind's options as plain data, as they stand in a plan. */
export interface SetupKind<O> {
  /** One line for `ghostfleet list setup`. */
  readonly about: string;
  /** How it looks in a file. */
  readonly example: string;
  /** Reads the value that stands after the kind's name in the file. */
  readonly check: SetupCheck<O>;
  /** What `check` takes, for editors; left out: the form that the check itself knows. */
  readonly form?: () => Form;
  /** What it makes, for `ghostfleet plan` and for messages. Shows no secret. */
  readonly describe: (options: O) => string;
  /**
   * Creates it, and registers with the world how it is removed.
   * @throws Error whose message says why it could not be made; the run does not begin
   */
  readonly run: (world: SetupWorld, options: O) => Promise<void>;
}

/** A check (input/checks.ts) that may also look at what the scenario refers to. */
interface SetupCheck<O> {
  (node: LocatedNode, problems: Problems, scope: SetupScope): O | undefined;
  readonly form?: () => Form;
}

export interface SetupScope {
  /** Device types by the names of their profiles. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** A file that the scenario names, by its path from there. @throws Error whose message says why it cannot be read */
  readonly readFile: (path: string) => NamedText;
}

/** With what a client comes to the API. */
export interface ClientAccess {
  readonly spaceId: string;
  /** Secret. */
  readonly apiKey: string;
}

/** The sliver of a target that setup uses; the runner implements it. */
export interface SetupWorld extends Pick<World, 'tagId'> {
  readonly api: Pick<
    DeviceCloudClient,
    | 'createConnector'
    | 'createFirmwareImage'
    | 'createVariable'
    | 'deleteConnector'
    | 'deleteFirmwareImage'
    | 'deleteVariable'
    | 'post'
    | 'remove'
  >;
  /** The bytes of an image for devices of a type. */
  image(profile: string, version: string, size: number): Uint8Array;
  /** Lets steps find a firmware image by its name in the scenario. */
  nameFirmware(name: string, id: string): void;
  /** The API of a further space, by its name in the scenario; of the fleet's when that is null. @throws Error when nothing opens it */
  spaceApi(space: string | null): Promise<Pick<DeviceCloudClient, 'spaceId' | 'createKey' | 'deleteKey'>>;
  /** Lets loads act as a client, by its name in the scenario. */
  nameClient(name: string, access: ClientAccess): void;
  /** Something was made that was not there before. `remove` takes it away when the run is over. */
  made(what: string, remove: () => Promise<void>): void;
}
