/** Creates what a run needs in the cloud through the public API, and deletes it afterwards. */
import PQueue from 'p-queue';
import { ApiError, ConnectionError } from '../../client/client.js';
import { isMachineFailure } from '../../client/errors.js';
import { EXIT, GhostfleetError, UsageError } from '../../kernel/errors.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { LeftThing } from '../../report/result.js';
import type { Plan } from '../../scenario/model/plan.js';
import { describeSetup, runSetup } from '../../scenario/setup/index.js';
import { runStep } from '../../scenario/steps/index.js';
import type { DeviceHandle } from '../../scenario/world.js';
import { deleteThing, type MadeThing } from './clean-up.js';
import type { RunWorld } from './run-world.js';

interface ProvisionOptions {
  /** Number of concurrent requests: 1 in virtual time, so that equal runs send them in the same order. */
  readonly concurrency: number;
  /** Ends the provisioning early without an error: open requests finish, and no further ones start. */
  readonly signal: AbortSignal;
}

/** Runs the setup of the scenario, then creates the devices with their tags. @throws UsageError for the first failure */
export async function provision(
  plan: Plan,
  world: RunWorld,
  handles: readonly DeviceHandle[],
  options: ProvisionOptions,
): Promise<void> {
  await setUp(plan, world, options);
  await createFleet(plan, world, handles, options);
}

/** Runs the setup of the scenario. @throws UsageError for the first failure */
export async function setUp(
  { setup = [] }: Plan,
  world: RunWorld,
  { signal }: Pick<ProvisionOptions, 'signal'>,
): Promise<void> {
  for (const [index, call] of setup.entries()) {
    if (signal.aborted) return;
    await runSetup(world, call).catch((error: unknown) => {
      if (signal.aborted) return;
      throw convertRefusal(`setup ${index + 1}, ${describeSetup(call)}, failed`, error);
    });
  }
}

/**
 * Creates the tags that groups and steps name. In a divided run, this is done before the parts begin: otherwise several parts
 * would try to create the same tag at the same time.
 */
export async function createTags(plan: Plan, world: Pick<RunWorld, 'tagId'>, signal: AbortSignal): Promise<void> {
  for (const name of collectTags(plan)) if (!signal.aborted) await world.tagId(name);
}

/** Tags that groups and steps name. */
function collectTags({ groups, actions }: Plan): ReadonlySet<string> {
  const ofSteps = actions.flatMap((action) =>
    action.step === 'tag' ? [...action.options.add, ...action.options.remove] : [],
  );
  return new Set([...groups.flatMap(({ tags }) => tags), ...ofSteps]);
}

async function createFleet(
  plan: Plan,
  world: RunWorld,
  handles: readonly DeviceHandle[],
  { concurrency, signal }: ProvisionOptions,
): Promise<void> {
  const create = { step: 'create-device', options: null } as const;
  const failures: { readonly index: number; readonly error: unknown }[] = [];
  let next = 0;
  // A counter replaces a queue with an entry for each device, because each entry would take 1 kB of memory.
  const createNext = async () => {
    while (next < handles.length) {
      const index = next++;
      const handle = handles[index];
      const group = plan.groups[plan.devices[index]?.group ?? -1];
      if (handle === undefined || !group?.register || signal.aborted) continue;
      await runStep(world, handle, create).catch((error: unknown) => {
        failures.push({ index, error: isTaken(error) ? makeTakenError(handle, group.name, error) : error });
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, createNext));
  const [first] = failures.sort((one, other) => one.index - other.index);
  if (first !== undefined && !signal.aborted) throw convertRefusal('the fleet could not be created', first.error);
}

/** Whether the target already has a device with this serial number. A conflict of a tag is another one. */
function isTaken(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409 && error.path.endsWith('/devices');
}

function makeTakenError({ name, serial }: DeviceHandle, group: string, { message }: ApiError): UsageError {
  return new UsageError(
    'not-created',
    `the fleet could not be created: "${name}" has the serial number ${serial}, which the cloud already has: ${message}`,
    `set "serial" of the group "${group}" to the first of a range of free serial numbers, or delete the other device`,
  );
}

/** Turns an error of the target into one for the user, who can fix the cause. */
function convertRefusal(what: string, error: unknown): unknown {
  if (isMachineFailure(error)) return new GhostfleetError('machine-failed', `${what}: ${error.message}`, EXIT.invalid);
  const refused = error instanceof ApiError || error instanceof ConnectionError;
  return refused ? new UsageError('not-created', `${what}: ${error.message}`) : error;
}

/** Names of everything that the run created in the target. */
export function listMade(world: RunWorld, handles: readonly DeviceHandle[]): readonly string[] {
  const devices = handles.filter(({ cloudId }) => cloudId !== undefined);
  return [...world.things.map(({ what }) => what), ...devices.map(({ name }) => `device "${name}"`)];
}

/**
 * Deletes what the run created: first devices, then the rest, newest first. Returns what could not be deleted.
 * @param since when the run began
 */
export async function tearDown(
  world: RunWorld,
  handles: readonly DeviceHandle[],
  since: UnixMillis,
  concurrency: number,
): Promise<readonly LeftThing[]> {
  const queue = new PQueue({ concurrency });
  const left: LeftThing[] = [];
  for (const device of listDevices(world, handles)) {
    void queue.add(async () => left.push(...(await deleteOne(device, since, world))));
  }
  await queue.onIdle();
  return [...left, ...(await deleteThings(world, since))];
}

/** Everything that {@link tearDown} deletes, in its order. */
export function listToDelete(world: RunWorld, handles: readonly DeviceHandle[]): readonly MadeThing[] {
  return [...listDevices(world, handles), ...world.things.toReversed()];
}

/** The devices that the run created, and those of which this is not known. */
function* listDevices({ unsure }: RunWorld, handles: readonly DeviceHandle[]): Generator<MadeThing> {
  for (const { name, cloudId } of handles) {
    if (cloudId !== undefined) yield { what: `device "${name}"`, space: null, path: `/devices/${cloudId}` };
  }
  for (const [serial, name] of unsure) yield { what: `device "${name}"`, space: null, serial };
}

/** Deletes everything that the run created except devices, newest first. Returns what could not be deleted. */
export async function deleteThings(world: RunWorld, since: UnixMillis): Promise<readonly LeftThing[]> {
  const left: LeftThing[] = [];
  for (const thing of world.things.toReversed()) left.push(...(await deleteOne(thing, since, world)));
  return left;
}

async function deleteOne(thing: MadeThing, since: UnixMillis, { spaceApi }: RunWorld): Promise<readonly LeftThing[]> {
  const left = await deleteThing(thing, since, spaceApi);
  return left === undefined ? [] : [left];
}
