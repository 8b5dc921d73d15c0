/**
 * A firmware image for the step `firmware`. It is either generated for a device type, or read from a file. The file contains
 * the output of `ghostfleet image`, which is the body of the upload request.
 */
import { hash } from 'node:crypto';
import {
  boolean,
  complain,
  describeKey,
  eitherForm,
  formOf,
  integer,
  optional,
  record,
  text,
  valueAt,
} from '../../input/checks.js';
import type { MapNode, Problems } from '../../input/document.js';
import { didYouMean, quote } from '../../input/problems.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import { readFileOf } from './file.js';
import type { SetupKind, SetupScope } from './kind.js';

/** Sizes of images in bytes: room for all headers, the default, and what fits into 1 MiB as base64. */
export const IMAGE_SIZE = { smallest: 512, largest: 786_000, usual: 65_536 } as const;
/** The length is limited by the session request (wire W-47). */
export const IMAGE_VERSION = /^[\x21-\x7e]{1,47}$/;

type FirmwareOptions = {
  /** The name that steps use. */
  readonly name: string;
  readonly source: ImageSource;
};

type ImageSource =
  | {
      readonly kind: 'made';
      readonly profile: string;
      readonly version: string;
      /** In bytes. */
      readonly size: number;
      /** Whether the checksum is wrong, so that bootloaders reject the image. */
      readonly damaged: boolean;
    }
  | { readonly kind: 'file'; readonly file: string; readonly content: UploadBody };

/** The body of an upload. A plan contains a fingerprint instead of the data. */
class UploadBody {
  readonly data: string;
  /** Required if the image does not contain its version. */
  readonly version: string | undefined;

  constructor(data: string, version: string | undefined) {
    this.data = data;
    this.version = version;
  }

  toJSON(): { readonly print: string; readonly version: string | undefined } {
    return { print: contentFingerprint(this.data), version: this.version };
  }
}

const version = describeKey(
  'Version of the firmware in the image.',
  'v9.0.0',
  text(IMAGE_VERSION, 'a version of 1 to 47 characters'),
);
const name = describeKey(
  'Name of the image, for the step `firmware`.',
  'v2',
  text(/^[a-z0-9][\w.-]{0,63}$/i, 'a name of letters, digits, ".", "-" and "_"'),
);

const made = record('firmware', {
  name,
  profile: describeKey('Device type for which the image is generated.', 'clime', text()),
  version,
  size: optional(
    describeKey(
      'Size of the image in bytes. Default: 65536.',
      131_072,
      integer(IMAGE_SIZE.smallest, IMAGE_SIZE.largest),
    ),
    IMAGE_SIZE.usual,
  ),
  damaged: optional(describeKey('Gives the image a wrong checksum: devices reject it.', true, boolean), false),
});
const file = describeKey('File that `ghostfleet image` has written, relative to the scenario.', 'image.json', text());
const uploaded = record('firmware', { name, file, version: optional(version) });

export const firmware: SetupKind<FirmwareOptions> = {
  about:
    'a firmware image for the step firmware: generated for a device type, or from a file made by "ghostfleet image"',
  example: 'firmware: { name: v2, profile: clime, version: v9.0.0, size: 65536 }',
  form: () => eitherForm(formOf(made), formOf(uploaded)),
  check: (node, problems, scope) => {
    if (node.kind !== 'map')
      return complain(node, problems, 'an image: a map with "name", and either "profile" and "version" or "file"');
    return node.entries.has('file') ? readUploaded(node, problems, scope) : readMade(node, problems, scope);
  },
  describe: ({ name: called, source }) =>
    source.kind === 'made'
      ? `"${called}", ${source.version} for ${source.profile}, ${source.size} bytes${source.damaged ? ', damaged' : ''}`
      : `"${called}", from ${source.file}`,
  run: async (world, { name: called, source }) => {
    const body = { name: called, ...bodyOf(source, world.image) };
    // The cloud takes the name from the image, if the image has one.
    const by = { sha256: hash('sha256', Buffer.from(body.data, 'base64'), 'hex') };
    const made = { what: `firmware "${called}"`, path: '/firmware-images/{id}', by };
    const { id } = await world.create(made, () => world.api.createFirmwareImage(body));
    world.nameFirmware(called, id);
  },
};

function readMade(node: MapNode, problems: Problems, { profiles }: SetupScope): FirmwareOptions | undefined {
  const read = made(node, problems);
  if (read === undefined) return undefined;
  const { name: called, ...source } = read;
  if (profiles.size > 0 && !profiles.has(source.profile)) {
    const names = [...profiles.keys()];
    const meant = didYouMean(source.profile, names);
    const place = valueAt(node, 'profile');
    problems.add(place, `${quote(source.profile)} is not a profile${meant}; the profiles are ${names.join(', ')}`);
    return undefined;
  }
  return { name: called, source: { kind: 'made', ...source } };
}

function readUploaded(node: MapNode, problems: Problems, scope: SetupScope): FirmwareOptions | undefined {
  const read = uploaded(node, problems);
  const named = read && readFileOf(read.file, node, problems, scope);
  if (read === undefined || named === undefined) return undefined;
  const data = problems.readOnce(named, 'image', () => dataIn(named.text));
  if (data === undefined) {
    problems.add(valueAt(node, 'file'), `${quote(read.file)} is not an image made by "ghostfleet image"`);
    return undefined;
  }
  return { name: read.name, source: { kind: 'file', file: read.file, content: new UploadBody(data, read.version) } };
}

/** The base64 text in `{"data":"…"}`; undefined for anything else. */
function dataIn(source: string): string | undefined {
  try {
    const body: unknown = JSON.parse(source);
    const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
    return typeof data === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function bodyOf(
  source: ImageSource,
  image: (profile: string, version: string, size: number) => Uint8Array,
): { readonly data: string; readonly version?: string; readonly damaged?: true } {
  if (source.kind === 'file') {
    const { data, version: declared } = source.content;
    return { data, ...(declared !== undefined && { version: declared }) };
  }
  const content = Buffer.from(image(source.profile, source.version, source.size));
  // The last byte is filler. Changing it makes the checksum wrong.
  if (source.damaged) content.writeUInt8(content.readUInt8(content.length - 1) ^ 0xff, content.length - 1);
  const marked = source.damaged ? ({ damaged: true } as const) : {};
  return { data: content.toString('base64'), version: source.version, ...marked };
}
