/** Captures for tests: of runs, and made by hand. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { captureScenario } from '../../scripts/support/captured-run.js';
import { seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { NOTHING, POLL } from '../../src/protocol/flap/packet.js';
import { type InspectOptions, inspectCapture } from '../../src/wire/inspect.js';
import { ipPacket } from '../../src/wire/ip-packet.js';
import { type CapturedPacket, readCapture } from '../../src/wire/read-capture.js';

/** All three formats of datagrams, loss, and downlinks. */
export const ALL_FORMATS = `
name: formats
duration: 15m
fleet:
  - { name: secure, profile: hio-node, count: 1, config: [app config interval-poll 300, cloud config protocol flap-dtls] }
  - { name: plain, profile: hio-node, count: 1, config: [app config interval-poll 300] }
  - { name: clime, profile: clime, count: 1, config: { interval-poll: 300 } }
network: { latency: 150ms..900ms, loss: 5% }
steps:
  - { at: 6m, commands: [cloud state] }
`;

let folder = '';

/** Creates a folder for the files of a test file before its tests. Call it there, because test files share this module. */
export function useFolder(): void {
  let own = '';
  beforeAll(() => {
    own = mkdtempSync(join(tmpdir(), 'ghostfleet-wire-'));
    folder = own;
  });
  afterAll(() => rmSync(own, { recursive: true, force: true }));
}

let files = 0;

/** A path for a new file. */
export function newPath(ending = 'pcapng'): string {
  return join(folder, `${files++}.${ending}`);
}

/** Writes a file and returns its path. */
export function fileWith(content: string | Uint8Array, ending?: string): string {
  const path = newPath(ending);
  writeFileSync(path, content);
  return path;
}

/** Runs a scenario and returns the path of its capture. */
export async function captureRun(yaml: string, options: Parameters<typeof captureScenario>[2] = {}): Promise<string> {
  const path = newPath();
  await captureScenario(yaml, path, options);
  return path;
}

const NO_KEYS: InspectOptions = { tokens: [], secrets: [] };

export function inspectFile(path: string, options: Partial<InspectOptions> = {}) {
  return inspectCapture(readCapture(path), { ...NO_KEYS, ...options });
}

export function packetsIn(path: string): readonly CapturedPacket[] {
  return [...readCapture(path)].flatMap((item) => (item.kind === 'packet' ? [item] : []));
}

export const TOKEN = '00112233445566778899aabbccddeeff';
const SERIAL = 2_159_017_985;

/** A poll of the device with this serial number, as base64 text. */
export const POLL_TEXT = Buffer.from(
  seal({ flags: POLL, sequence: 2, data: NOTHING }, SERIAL, tokenBytes(TOKEN), 'base64'),
).toString();

/** An IP packet with a poll of the device. @param ends default: IPv4 */
export function pollPacket(ends: { readonly device: string; readonly cloud: string } = IP4): Uint8Array {
  const [from, to] = [ends.device, ends.cloud];
  return ipPacket({ address: from, port: 40_000 }, { address: to, port: 5003 }, Buffer.from(POLL_TEXT));
}

export const IP4 = { device: '10.0.0.7', cloud: '192.0.2.1' };
export const IP6 = { device: 'fd00::7', cloud: '2001:db8::1' };

/** A file in the older format. @param little byte order @param magic of microseconds or of nanoseconds */
export function oldCapture(link: number, frames: readonly Uint8Array[], little = true, magic = 0xa1b2c3d4): Buffer {
  const uint32 = (...values: readonly number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, n) => void (little ? bytes.writeUInt32LE(value, 4 * n) : bytes.writeUInt32BE(value, 4 * n)));
    return bytes;
  };
  const [major, minor] = little ? [2 | (4 << 16), 0] : [(2 << 16) | 4, 0];
  const units = magic === 0xa1b23c4d ? 500_000_000 : 500_000;
  return Buffer.concat([
    uint32(magic, major, minor, 0, 65_535, link),
    ...frames.flatMap((frame) => [uint32(1_772_431_200, units, frame.length, frame.length), frame]),
  ]);
}
