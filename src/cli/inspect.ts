/** `ghostfleet inspect`: shows the dialogues of devices in a capture, or measures their times. */
import { existsSync, readFileSync } from 'node:fs';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';
import { countOf, humanCount, listFirst } from '../kernel/quantity.js';
import { packagedProfiles } from '../profile/library.js';
import type { Codec } from '../protocol/codec.js';
import { tokenBytes } from '../protocol/flap/envelope.js';
import type { Hash } from '../protocol/hashes.js';
import {
  gapsIn,
  type InspectedDevice,
  type Inspection,
  type InspectOptions,
  inspectCapture,
  inspectDatagram,
} from '../wire/inspect.js';
import { writeDialogues, writeInspectionJson, writeTimelines } from '../wire/inspection-text.js';
import type { MessageTextOptions } from '../wire/message-text.js';
import { readCapture } from '../wire/read-capture.js';
import { WrongValue } from './check-arguments.js';
import { defineCommand } from './command.js';
import { CLAIM_TOKEN, claimTokenIn, DTLS_KEY, type SecretForm, TOKEN_VARIABLE } from './device-secrets.js';
import type { Host } from './host.js';
import { packagePath } from './package-files.js';
import { REPEATED, SHOW_SECRETS } from './values.js';

interface InspectFlags {
  readonly capture: string | undefined;
  readonly device: string | undefined;
  readonly token: readonly string[];
  readonly secret: readonly string[];
  readonly timeline: boolean;
  readonly json: boolean;
  readonly 'show-secrets': boolean;
  readonly dissector: boolean;
}

export const inspect = defineCommand<InspectFlags>(
  (parser) =>
    parser
      .positional('capture', {
        type: 'string',
        describe: 'capture file (pcapng or pcap), or a datagram in hex digits or base64',
      })
      .option('device', {
        type: 'string',
        requiresArg: true,
        describe: 'serial number or name of the only device to show',
      })
      .option('token', {
        ...REPEATED,
        describe: `claim token of a device, to check the tags of its datagrams; may be repeated; also ${TOKEN_VARIABLE}`,
        coerce: checkSecrets('token', CLAIM_TOKEN),
      })
      .option('secret', {
        ...REPEATED,
        describe: 'key of a device for DTLS, if the capture does not contain its keys; may be repeated',
        coerce: checkSecrets('secret', DTLS_KEY),
      })
      .option('timeline', {
        type: 'boolean',
        default: false,
        describe: 'measure retries and pauses, and compare them with the rules of the firmware',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print one JSON object instead of text' })
      .option('show-secrets', SHOW_SECRETS)
      .option('dissector', { type: 'boolean', default: false, describe: 'print the dissector for Wireshark, in Lua' }),
  execute,
);

async function execute(flags: InspectFlags, host: Host): Promise<ExitCode> {
  const { capture, timeline, json } = flags;
  if (flags.dissector) {
    host.out.write(readFileSync(packagePath('wireshark/flap.lua'), 'utf8'));
    return EXIT.fine;
  }
  if (capture === undefined) throw new UsageError('bad-flags', '<capture> is missing');
  const own = claimTokenIn(host.env);
  const tokens = [...flags.token, ...(own === undefined ? [] : [own])].map(tokenBytes);
  const options = { tokens, secrets: flags.secret.map((secret) => Buffer.from(secret, 'hex')) };
  const text: MessageTextOptions = { decoderOf: findDecoder, secrets: flags['show-secrets'] };
  const datagram = existsSync(capture) ? undefined : bytesIn(capture);
  if (datagram !== undefined) {
    host.out.write(showDatagram(datagram, flags, options, text));
    return EXIT.fine;
  }
  // After this, the command has begun, so that a signal ends the program also while it reads.
  await Promise.resolve();
  const inspection = inspectCapture(readCapture(capture), options);
  if (inspection.devices.length === 0) throw makeNoDevicesError(capture, inspection);
  const devices = chooseDevices(inspection.devices, `"${capture}"`, flags.device);
  if (timeline && inspection.timeless > 0) {
    const count = `${humanCount(inspection.timeless)} of its ${countOf(inspection.packets, 'packet')}`;
    throw new UsageError('no-times', `"${capture}" has no times to measure: ${count} have none`);
  }
  if (json) host.out.write(writeInspectionJson(devices, inspection, text, timeline ? 'timeline' : 'dialogue'));
  else host.out.write((timeline ? writeTimelines : writeDialogues)(devices, inspection, text));
  const gaps = gapsIn(inspection);
  if (gaps.length === 0) return EXIT.fine;
  throw new UsageError('incomplete', `"${capture}" is incomplete: ${gaps.join('; ')}`);
}

const OF_DATAGRAM = { start: 0, isOfRun: false, packets: 1, others: new Map(), broken: undefined, timeless: 0 };

function showDatagram(
  datagram: Uint8Array,
  flags: InspectFlags,
  options: InspectOptions,
  text: MessageTextOptions,
): string {
  const device = inspectDatagram(datagram, options);
  if (device === undefined) {
    throw new UsageError('bad-datagram', `the ${datagram.length} bytes are not a datagram of a device or of the cloud`);
  }
  if (flags.timeline) throw new UsageError('bad-flags', '--timeline requires a capture');
  const devices = chooseDevices([device], 'the datagram', flags.device);
  if (flags.json) return writeInspectionJson(devices, OF_DATAGRAM, text, 'dialogue');
  return writeDialogues(devices, undefined, text);
}

function makeNoDevicesError(capture: string, { packets, others, broken }: Inspection): UsageError {
  const found = [...others].map(([what, count]) => `${humanCount(count)} ${what}`);
  const why = broken === undefined ? '' : `; ${broken}`;
  return new UsageError(
    'no-devices',
    `"${capture}" has no datagrams of devices: it has ${countOf(packets, 'packet')}${found.length === 0 ? '' : ` (${found.join(', ')})`}${why}`,
  );
}

/** @param where what has the devices @throws UsageError if it has no device with this name */
function chooseDevices(
  devices: readonly InspectedDevice[],
  where: string,
  device: string | undefined,
): readonly InspectedDevice[] {
  if (device === undefined) return devices;
  const chosen = devices.filter(({ serial, name }) => String(serial) === device || name === device);
  if (chosen.length > 0) return chosen;
  const names = devices.map(({ serial, name }) => printableLine(name ?? String(serial)));
  throw new UsageError('no-such-device', `${where} has no device "${device}"; it has ${listFirst(names, 5)}`);
}

/** The decoder in one of the packaged profiles. */
function findDecoder(hash: Hash): Codec | undefined {
  return [...packagedProfiles().values()].find(({ decoder }) => decoder.hash === hash)?.decoder;
}

/**
 * Bytes of a datagram in hex digits, or as it is in base64; undefined for another text, which is then the name of a file.
 * @throws UsageError for hex digits that are not whole bytes, or too few: as base64, they would show a device that does not exist
 */
function bytesIn(text: string): Uint8Array | undefined {
  // As programs write bytes: `f0 92`, `f0:92`, `0xf0, 0x92`.
  const digits = text.replace(/0x|[\s:,]/gi, '');
  if (/^(?:[\da-f]{2}){14,}$/i.test(digits)) return Buffer.from(digits, 'hex');
  if (/^[\da-f]{16,}$/i.test(digits)) {
    const wanted = 'a datagram has an even number, at least 28';
    throw new UsageError('not-a-datagram', `${digits.length} hex digits are not a datagram: ${wanted}`);
  }
  if (!/^(?:[\w+/]{4}){4,}(?:[\w+/]{2}(?:==)?|[\w+/]{3}=?)?$/.test(text)) return undefined;
  return Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4, '='));
}

function checkSecrets(name: string, { wanted, parse }: SecretForm) {
  // The texts are secrets, so the message does not quote them.
  return (texts: readonly string[]) =>
    texts.every((text) => parse(text) !== undefined) ? texts : new WrongValue([`--${name} (hidden) is not ${wanted}`]);
}
