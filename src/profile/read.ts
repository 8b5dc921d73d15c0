/**
 * Reads a profile: YAML text in, a checked and compiled {@link Profile} out, or every problem of the file at once with its
 * line and column. Files are fetched by the caller's function, so that this works on a disk, in a test and in a browser.
 *
 * The parts are read in the order in which they refer to each other. When one of them is wrong, what refers to it is taken
 * for right: one mistake is one message.
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
  rejectUnknownKeys,
  text,
} from '../input/checks.js';
import { type LocatedNode, Problems } from '../input/document.js';
import { InputError } from '../input/problems.js';
import { parameter, setupLine } from './checks.js';
import { type LoadText, readExtended } from './extend.js';
import type { ModuleSpec } from './parameters.js';
import type { Identity, Profile, SupplyModule, Timing } from './profile.js';
import { readBody } from './read-body.js';
import { codec } from './read-codec.js';
import { readModules } from './read-config.js';
import { readEventLists, readSensors, readTasks } from './read-sensors.js';

export type { LoadText } from './extend.js';

/**
 * Reads one profile.
 * @param file its path, for messages, for the profile's name and as the place that `extends` starts from
 * @param load fetches the files that it extends
 * @throws InputError with all problems
 */
export function readProfile(source: string, file: string, load: LoadText): Profile {
  const problems = new Problems();
  const root = readExtended(source, file, load, problems);
  // Without the file that it extends nearly everything is missing, and that is not worth a hundred messages.
  problems.finish();
  const profile = compile(root, file, problems);
  problems.finish();
  // Because every part that is missing has left a problem behind, and with a problem `finish` has thrown.
  return profile as Profile;
}

/**
 * Reads several profiles, by name.
 * @throws InputError with the problems of all of them
 */
export function loadProfiles(files: readonly string[], load: LoadText): ReadonlyMap<string, Profile> {
  const profiles = new Map<string, Profile>();
  const problems = new Problems();
  for (const file of files) {
    try {
      const source = load(file);
      if (source === undefined) throw new InputError([{ file, line: 1, column: 1, message: 'can not be read' }]);
      const profile = readProfile(source, file, load);
      profiles.set(profile.name, profile);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.list.push(...error.problems);
    }
  }
  problems.finish();
  return profiles;
}

const identity: Check<Identity> = (node, problems) => {
  const shape = {
    vendor: atMost(16),
    product: atMost(16),
    hw_variant: atMost(10),
    hw_revision: atMost(6),
    fw_bundle: atMost(127),
    fw_name: atMost(64),
    fw_version: atMost(47),
    modem_firmware: atMost(64),
  };
  const read = record('identity', shape)(node, problems);
  return (
    read && {
      vendorName: read.vendor,
      productName: read.product,
      hwVariant: read.hw_variant,
      hwRevision: read.hw_revision,
      fwBundle: read.fw_bundle,
      fwName: read.fw_name,
      fwVersion: read.fw_version,
      modemFirmware: read.modem_firmware,
    }
  );
};

/** The lengths that a session has room for (wire protocol, 7.1). */
function atMost(length: number): Check<string> {
  return text(new RegExp(`^\\S.{0,${length - 1}}$`), `a text of at most ${length} characters`);
}

const supplyModule: Check<SupplyModule> = (node, problems) => {
  const shape = {
    hw_revision: integer(0, 0xffff),
    hw_variant: integer(0, 0xffff),
    fw_version: integer(0, 0xffff_ffff),
  };
  const read = record('supply_module', shape)(node, problems);
  return read && { hwRevision: read.hw_revision, hwVariant: read.hw_variant, fwVersion: read.fw_version };
};

function timing(modules: readonly ModuleSpec[] | undefined): Check<Timing> {
  const seconds = parameter(modules, ['int']);
  return (node, problems) => {
    const shape = {
      first_report: duration,
      jitter: ratio,
      report: seconds,
      poll: optional(seconds),
      downlink_watchdog: optional(seconds),
      event_delay: optional(seconds),
      event_rate: optional(seconds),
      mode: optional(parameter(modules, ['enum'])),
      send_timeout: optional(seconds),
      after_failed_send: oneOf(['keep', 'drop']),
      spool: optional(seconds),
    };
    const read = record('timing', shape)(node, problems);
    return (
      read && {
        firstReport: read.first_report,
        jitter: read.jitter,
        reportEvery: read.report,
        onSendFailure: read.after_failed_send,
        ...(read.poll && { pollEvery: read.poll }),
        ...(read.downlink_watchdog && { downlinkWatchdog: read.downlink_watchdog }),
        ...(read.event_delay && { eventDelay: read.event_delay }),
        ...(read.event_rate && { eventRate: read.event_rate }),
        ...(read.mode && { mode: read.mode }),
        ...(read.send_timeout && { sendTimeout: read.send_timeout }),
        ...(read.spool && { spoolSize: read.spool }),
      }
    );
  };
}

function compile(root: LocatedNode, file: string, problems: Problems): Profile | undefined {
  if (root.kind !== 'map') return complain(root, problems, 'a profile: a map');
  rejectUnknownKeys(root, SECTIONS, 'a profile', problems);
  const optionalSection = <T>(name: Section, check: Check<T>): T | undefined => {
    const entry = root.entries.get(name);
    return entry && check(entry.value, problems);
  };
  const section = <T>(name: Section, check: Check<T>): T | undefined => {
    if (!root.entries.has(name)) problems.add(root, `a profile needs "${name}"`);
    return optionalSection(name, check);
  };

  const title = section('title', text());
  const who = section('identity', identity);
  const supply = optionalSection('supply_module', supplyModule);
  const messageVersion = section('message_version', integer(0, 255));
  const transferBuffer = section('transfer_buffer', integer(512, 16_384));
  const bootloader = optionalSection('bootloader', record('bootloader', { slot_size: integer(1, 0xffff_ffff) }));
  const commands = section('commands', record('commands', { common: commandWords, own: commandWords }));
  const modules = section('config', readModules);
  const setup = optionalSection('setup', list(setupLine(modules))) ?? [];
  const when = section('timing', timing(modules));
  const sensors = section('sensors', readSensors(modules));
  const eventLists = section('events', readEventLists(modules, sensors));
  if (when && eventLists && eventLists.length > 0 && !(when.eventDelay && when.eventRate)) {
    problems.add(root, 'events are reported: "timing" needs "event_delay" and "event_rate"');
  }
  const tasks = section('tasks', readTasks(modules, sensors));
  const decoder = section('decoder', codec('decoder'));
  const encoder = optionalSection('encoder', codec('encoder'));
  const body = section('body', readBody({ decoder, sensors, eventLists }));
  if (!(title && who && commands && modules && when && sensors && eventLists && tasks && decoder && body)) {
    return undefined;
  }
  if (messageVersion === undefined || transferBuffer === undefined) return undefined;
  return {
    name: file.slice(file.lastIndexOf('/') + 1).replace(/\.yaml$/, ''),
    title,
    identity: who,
    messageVersion,
    transferBuffer,
    commands: [...commands.common, ...commands.own].sort(),
    setup,
    modules,
    timing: when,
    decoder,
    sensors,
    eventLists,
    tasks,
    body,
    ...(supply && { supplyModule: supply }),
    ...(bootloader && { bootloader: { slotSize: bootloader.slot_size } }),
    ...(encoder && { encoder }),
  };
}

const commandWords = list(text(/^[a-z0-9_]+$/, 'a command'));

const SECTIONS = [
  'title',
  'identity',
  'supply_module',
  'bootloader',
  'message_version',
  'transfer_buffer',
  'commands',
  'setup',
  'timing',
  'config',
  'sensors',
  'events',
  'tasks',
  'body',
  'decoder',
  'encoder',
] as const;
type Section = (typeof SECTIONS)[number];
