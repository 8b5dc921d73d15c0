/** The interface of the kinds of setup. Each kind has a file in this folder and is listed in index.ts. */
import type { DeviceCloudClient } from '../../client/client.js';
import type { Form } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { NamedText } from '../../input/text-file.js';
import type { Profile } from '../../profile/profile.js';
import type { World } from '../world.js';

/** `O`: the options of the kind, as plain data for a plan. */
export interface SetupKind<O> {
  /** One line for `ghostfleet list setup`. */
  readonly about: string;
  /** An example, as in a scenario file. */
  readonly example: string;
  /** Reads the value after the name of the kind. */
  readonly check: SetupCheck<O>;
  /** JSON Schema of the options, for editors. Default: the form of `check`. */
  readonly form?: () => Form;
  /** Description of the resource, for `ghostfleet plan` and for messages; without secrets. */
  readonly describe: (options: O) => string;
  /**
   * Creates the resource with {@link SetupWorld.create}, which also registers how to remove it.
   * @throws Error with the reason; then the run does not begin
   */
  readonly run: (world: SetupWorld, options: O) => Promise<void>;
}

/** A check (input/checks.ts) with access to the profiles and files that the scenario refers to. */
interface SetupCheck<O> {
  (node: LocatedNode, problems: Problems, scope: SetupScope): O | undefined;
  readonly form?: () => Form;
}

export interface SetupScope {
  /** Device types by the names of their profiles. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Reads a file; `path` is relative to the folder of the scenario. @throws Error with the reason */
  readonly readFile: (path: string) => NamedText;
}

/** Credentials of a client for the API. */
export interface ClientAccess {
  readonly spaceId: string;
  /** Secret. */
  readonly apiKey: string;
}

/** The functions of the runner with which setup creates resources in the cloud of the run. */
export interface SetupWorld extends Pick<World, 'tagId'> {
  readonly api: Pick<DeviceCloudClient, 'createConnector' | 'createFirmwareImage' | 'createVariable' | 'post'>;
  /** Generates the bytes of an image for a device type. */
  image(profile: string, version: string, size: number): Uint8Array;
  /** Registers the id of a firmware image under its name in the scenario, for steps. */
  nameFirmware(name: string, id: string): void;
  /**
   * The API of a space by its name in the scenario; null for the space of the fleet.
   * @throws Error if the API key of the space is missing
   */
  spaceApi(space: string | null): Promise<Pick<DeviceCloudClient, 'spaceId' | 'createKey'>>;
  /** Registers the credentials of a client under its name in the scenario, for loads. */
  nameClient(name: string, access: ClientAccess): void;
  /** Creates a resource, which is deleted after the run, even if the answer to its creation is lost. */
  create<T extends { readonly id: string }>(resource: NewResource, post: () => Promise<T>): Promise<T>;
}

interface NewResource {
  /** Its kind and name, for messages. */
  readonly what: string;
  /** Path for its deletion, below the space; `{id}` stands for its id. */
  readonly path: string;
  /** Fields by which it is found in the list of its kind. */
  readonly by: Readonly<Record<string, string | null>>;
  /** Name of its space in the scenario. Default: null, the space of the fleet. */
  readonly space?: string | null;
}
