/**
 * Reads a profile from YAML text. The result is a checked and compiled {@link Profile}, or all problems of the file with line
 * and column. The caller passes the function that loads files, so the reader works with a disk, in a test and in a browser.
 *
 * A section is read after the sections to which it refers. References to a section with errors are accepted, so that one
 * mistake causes one message.
 */
import {
  type Check,
  complain,
  duration,
  integer,
  list,
  oneOf,
  optional,
  ratio,
  record,
  refine,
  rejectUnknownKeys,
  text,
} from '../input/checks.js';
import { type LocatedNode, Problems } from '../input/document.js';
import { InputError } from '../input/problems.js';
import type { BodyParts } from './body-references.js';
import { expectIdentityText, expectParameter, expectSetupLine, IDENTITY_LENGTHS } from './checks.js';
import { COMMAND_WORDS } from './command-words.js';
import { findRemoval, type LoadText, type ReadFiles, readExtended } from './extend.js';
import type { ModuleSpec } from './parameters.js';
import {
  CLICK_ACTIONS,
  type ClickAction,
  FAMILIES,
  type Identity,
  type Profile,
  type SupplyModule,
  type Timing,
} from './profile.js';
import { readBody } from './read-body.js';
import { expectCodec } from './read-codec.js';
import { readModules } from './read-config.js';
import { readEventLists } from './read-events.js';
import { readReceiver } from './read-receiver.js';
import { readSensors } from './read-sensors.js';
import { readTasks } from './read-tasks.js';
import { listVersions, separateVersions } from './versions.js';

/**
 * Reads one profile.
 * @param file its path: used in messages, for the profile's name, and to resolve `extends`
 * @param load loads the files that it extends
 * @param read cache of the files that profiles extend; new ones are added
 * @throws InputError with all problems
 */
export function readProfile(source: string, file: string, load: LoadText, read?: ReadFiles): Profile {
  const problems = new Problems();
  const root = readExtended(source, file, load, problems, read);
  // Without the extended file, nearly every section would be reported as missing.
  problems.finish();
  const { newest, older } = separateVersions(root, problems);
  problems.finish();
  const sections = compileProfile(newest, file);
  const firmware = listVersions(
    sections.identity.fwVersion,
    () => profile,
    new Map([...older].map(([version, node]) => [version, () => ({ ...compileProfile(node, file), firmware })])),
  );
  const profile: Profile = { ...sections, firmware };
  return profile;
}

/** Sections of which an extending file may remove any entry, because a device type does not need it. */
const SEPARABLE = ['timing', 'sensors', 'events', 'body'] as const satisfies readonly Section[];

/** @throws InputError with all problems */
function compileProfile(root: LocatedNode, file: string): ProfileSections {
  const problems = new Problems();
  const sections = compile(root, file, problems);
  problems.list.forEach((problem, i) => {
    // An inherited entry may need a parameter that this device type lacks.
    const removal = problem.file === file ? undefined : findRemoval(root, SEPARABLE, problem);
    if (removal === undefined) return;
    problems.list[i] = {
      ...problem,
      message: `${problem.message}; to remove this inherited entry, write "${removal}"`,
    };
  });
  problems.finish();
  // The cast is safe because each missing section has added a problem, and `finish` throws if there are problems.
  return sections as ProfileSections;
}

/**
 * Reads several profiles, by name.
 * @throws InputError with the problems of all of them
 */
export function loadProfiles(files: readonly string[], load: LoadText): ReadonlyMap<string, Profile> {
  const profiles = new Map<string, Profile>();
  const problems = new Problems();
  const read: ReadFiles = new Map();
  for (const file of files) {
    try {
      const source = load(file);
      if (source === undefined) throw new InputError([{ file, line: 1, column: 1, message: 'cannot be read' }]);
      const profile = readProfile(source, file, load, read);
      profiles.set(profile.name, profile);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.list.push(...error.problems);
    }
  }
  problems.finish();
  return profiles;
}

/** A profile without its other versions. */
type ProfileSections = Omit<Profile, 'firmware'>;

const identity: Check<Identity> = refine(
  record('identity', {
    vendor: expectAtMost(IDENTITY_LENGTHS.vendor),
    product: expectAtMost(IDENTITY_LENGTHS.product),
    hw_variant: expectAtMost(IDENTITY_LENGTHS.hw_variant),
    hw_revision: expectAtMost(IDENTITY_LENGTHS.hw_revision),
    fw_bundle: expectAtMost(IDENTITY_LENGTHS.fw_bundle),
    fw_name: expectAtMost(IDENTITY_LENGTHS.fw_name),
    fw_version: expectAtMost(IDENTITY_LENGTHS.fw_version),
    modem_firmware: expectAtMost(IDENTITY_LENGTHS.modem_firmware),
  }),
  (read) => ({
    vendorName: read.vendor,
    productName: read.product,
    hwVariant: read.hw_variant,
    hwRevision: read.hw_revision,
    fwBundle: read.fw_bundle,
    fwName: read.fw_name,
    fwVersion: read.fw_version,
    modemFirmware: read.modem_firmware,
  }),
);

function expectAtMost(length: number): Check<string> {
  const { form, what } = expectIdentityText(length);
  return text(form, what);
}

const supplyModule: Check<SupplyModule> = refine(
  record('supply_module', {
    hw_revision: integer(0, 0xffff),
    hw_variant: integer(0, 0xffff),
    fw_version: integer(0, 0xffff_ffff),
  }),
  (read) => ({ hwRevision: read.hw_revision, hwVariant: read.hw_variant, fwVersion: read.fw_version }),
);

function expectTiming(modules: readonly ModuleSpec[] | undefined): Check<Timing> {
  const seconds = expectParameter(modules, ['int']);
  const shape = {
    first_report: optional(duration),
    jitter: ratio,
    report: optional(seconds),
    poll: optional(seconds),
    downlink_watchdog: optional(seconds),
    hardware_watchdog: optional(duration),
    event_delay: optional(seconds),
    event_rate: optional(seconds),
    mode: optional(expectParameter(modules, ['enum'])),
    send_timeout: optional(seconds),
    after_failed_send: oneOf(['keep', 'drop']),
    spool: optional(seconds),
  };
  return refine(record('timing', shape), (read) => ({
    jitter: read.jitter,
    onSendFailure: read.after_failed_send,
    firstReport: read.first_report,
    reportEvery: read.report,
    pollEvery: read.poll,
    downlinkWatchdog: read.downlink_watchdog,
    ...(read.hardware_watchdog && { hardwareWatchdog: read.hardware_watchdog }),
    eventDelay: read.event_delay,
    eventRate: read.event_rate,
    mode: read.mode,
    sendTimeout: read.send_timeout,
    spoolSize: read.spool,
  }));
}

const actions: Check<readonly ClickAction[]> = list(oneOf(CLICK_ACTIONS));

/** Actions of the button on the board for one click, two clicks in a row, and so on. */
const button: Check<Profile['clicks']> = refine(
  record('button', {
    single: optional(actions, []),
    double: optional(actions, []),
    triple: optional(actions, []),
    quadruple: optional(actions, []),
  }),
  (read) => [read.single, read.double, read.triple, read.quadruple],
);

/** Results of sections that other sections need; undefined for a section that has errors or has not been read yet. */
export interface Parts extends BodyParts {
  readonly modules: readonly ModuleSpec[] | undefined;
}

const commandWords = list(oneOf(COMMAND_WORDS));

/** The sections of a profile with their checks, in the order of the JSON Schema for editors. */
export const SECTIONS = {
  title: () => text(),
  identity: () => identity,
  family: () => oneOf(FAMILIES),
  supply_module: () => supplyModule,
  bootloader: () => record('bootloader', { slot_size: integer(1, 0xffff_ffff) }),
  message_version: () => integer(0, 255),
  transfer_buffer: () => integer(512, 16_384),
  commands: () => record('commands', { common: commandWords, own: commandWords }),
  button: () => button,
  setup: ({ modules }: Parts) => list(expectSetupLine(modules)),
  timing: ({ modules }: Parts) => expectTiming(modules),
  config: () => readModules,
  sensors: ({ modules }: Parts) => readSensors(modules),
  events: ({ modules, sensors }: Parts) => readEventLists(modules, sensors),
  tasks: ({ modules, sensors, eventLists }: Parts) => readTasks(modules, sensors, eventLists),
  receiver: ({ modules }: Parts) => readReceiver(modules),
  serial_line: () => record('serial_line', { name: text(), devices: integer(1, 32) }),
  body: (parts: Parts) => readBody(parts),
  decoder: () => expectCodec('decoder'),
  encoder: () => expectCodec('encoder'),
} as const satisfies Record<string, (parts: Parts) => Check<unknown>>;
export type Section = keyof typeof SECTIONS;

/** Optional sections of a profile. */
export const OPTIONAL_SECTIONS: ReadonlySet<Section> = new Set([
  'family',
  'supply_module',
  'bootloader',
  'button',
  'setup',
  'receiver',
  'serial_line',
  'encoder',
]);

function compile(root: LocatedNode, file: string, problems: Problems): ProfileSections | undefined {
  if (root.kind !== 'map') return complain(root, problems, 'a profile: a map');
  rejectUnknownKeys(root, Object.keys(SECTIONS), 'a profile', problems);
  const read = <T>(name: Section, check: Check<T>): T | undefined => {
    const entry = root.entries.get(name);
    if (entry === undefined && !OPTIONAL_SECTIONS.has(name)) problems.add(root, `a profile needs "${name}"`);
    return entry && check(entry.value, problems);
  };

  const title = read('title', SECTIONS.title());
  const who = read('identity', SECTIONS.identity());
  const family = read('family', SECTIONS.family()) ?? 'chester';
  const supply = read('supply_module', SECTIONS.supply_module());
  const messageVersion = read('message_version', SECTIONS.message_version());
  const transferBuffer = read('transfer_buffer', SECTIONS.transfer_buffer());
  const bootloader = read('bootloader', SECTIONS.bootloader());
  const commands = read('commands', SECTIONS.commands());
  const clicks = read('button', SECTIONS.button()) ?? [];
  const modules = read('config', SECTIONS.config());
  const receives = root.entries.has('receiver');
  let parts: Parts = { modules, receives, decoder: undefined, sensors: undefined, eventLists: undefined };
  const setup = read('setup', SECTIONS.setup(parts)) ?? [];
  const when = read('timing', SECTIONS.timing(parts));
  const sensors = read('sensors', SECTIONS.sensors(parts));
  parts = { ...parts, sensors };
  const eventLists = read('events', SECTIONS.events(parts));
  if (when && eventLists && eventLists.length > 0 && !(when.eventDelay && when.eventRate)) {
    problems.add(
      root,
      '"timing" needs "event_delay" and "event_rate", because the profile has events that are reported',
    );
  }
  const tasks = read('tasks', SECTIONS.tasks({ ...parts, eventLists }));
  const receiver = read('receiver', SECTIONS.receiver(parts));
  const serialLine = read('serial_line', SECTIONS.serial_line());
  const decoder = read('decoder', SECTIONS.decoder());
  const encoder = read('encoder', SECTIONS.encoder());
  const body = read('body', SECTIONS.body({ ...parts, eventLists, decoder }));
  if (!(title && who && commands && modules && when && sensors && eventLists && tasks && decoder && body)) {
    return undefined;
  }
  if (messageVersion === undefined || transferBuffer === undefined) return undefined;
  return {
    name: file.slice(file.lastIndexOf('/') + 1).replace(/\.yaml$/, ''),
    title,
    identity: who,
    family,
    messageVersion,
    transferBuffer,
    commands: [...commands.common, ...commands.own].sort(),
    setup,
    modules,
    timing: when,
    clicks,
    decoder,
    sensors,
    eventLists,
    tasks,
    body,
    supplyModule: supply,
    bootloader: bootloader && { slotSize: bootloader.slot_size },
    receiver,
    serialLine,
    encoder,
  };
}
