/**
 * Captures of the wire: tshark reads each packet of a long run without finding one malformed, and names the messages that
 * `inspect` names; plain datagrams, and DTLS with and without connection IDs. A small form is in test/wire/tshark.test.ts.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/kernel/random.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { DtlsClient } from '../../src/protocol/dtls/client.js';
import { keyIdentity } from '../../src/protocol/dtls/identity.js';
import { DtlsServer } from '../../src/protocol/dtls/server.js';
import { encodePacket } from '../../src/protocol/flap/packet.js';
import { TYPE } from '../../src/protocol/messages/index.js';
import { Capture } from '../../src/wire/capture.js';
import { readDialogue } from '../../src/wire/dialogue-text.js';
import { type InspectedDevice, inspectCapture } from '../../src/wire/inspect.js';
import { MessageText } from '../../src/wire/message-text.js';
import { readCapture } from '../../src/wire/read-capture.js';
import { captureScenario } from '../support/captured-run.js';
import type { Proof, Verdict } from '../support/proof.js';

const DISSECTOR = 'wireshark/flap.lua';

/** Whether the program tshark is installed. */
export function hasTshark(): boolean {
  return spawnSync('tshark', ['--version']).status === 0;
}

export const wire: Proof = {
  name: 'wire',
  run: async () => {
    if (!hasTshark()) return [{ what: 'tshark is installed', held: false, detail: 'apt-get install tshark' }];
    return proveWire({ devices: 8, hours: 12, leastPackets: 10_000 });
  },
};

interface Size {
  /** Of each kind. */
  readonly devices: number;
  readonly hours: number;
  readonly leastPackets: number;
}

export async function proveWire(size: Size): Promise<readonly Verdict[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-wire-'));
  try {
    const withIds = join(folder, 'run.pcapng');
    const tokens = await captureRun(withIds, size);
    const withoutIds = join(folder, 'without-ids.pcapng');
    captureWithoutIds(withoutIds, inspect(withIds).devices, size.leastPackets);
    return [
      ...compareReaders('a run, plain and DTLS with connection IDs', withIds, size),
      ...compareReaders('DTLS without connection IDs', withoutIds, size),
      checkTags(withIds, tokens),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Captures a run with all formats of datagrams. Returns the claim tokens of its devices. */
async function captureRun(path: string, { devices, hours }: Size): Promise<readonly string[]> {
  const text = `
name: wire
duration: ${hours}h
fleet:
  - { name: secure, profile: hio-node, count: ${devices}, config: [app config interval-poll 120, cloud config protocol flap-dtls] }
  - { name: plain, profile: hio-node, count: ${devices}, config: [app config interval-poll 300] }
  - { name: clime, profile: clime, count: ${devices}, config: { interval-poll: 300 } }
network: { latency: 150ms..900ms, loss: 3%, faults: [{ duplication: 1% }] }
steps:
  - { at: ${hours / 4}h, over: 5m, commands: [cloud state] }
  - { at: ${hours / 2}h, to: clime, config: { interval-report: 900 } }
`;
  const plan = await captureScenario(text, path);
  return plan.devices.map(({ claimToken }) => claimToken);
}

/** Sends the packets of the devices again, over DTLS connections without IDs, until there are at least `least`. */
function captureWithoutIds(path: string, devices: readonly InspectedDevice[], least: number): void {
  const capture = new Capture(path, { about: 'prove wire', live: false });
  const clock = new VirtualClock({});
  capture.begin(clock.wall, String, () => {});
  const cloud = { address: '192.0.2.1', port: 5005 };
  const psk = Buffer.alloc(16, 7);
  let at = clock.wall;
  let packets = 0;
  for (let port = 40_000; packets < least; port++) {
    for (const [index, { entries }] of devices.entries()) {
      const device = { address: `10.0.1.${index + 1}`, port };
      const serial = 2_159_017_985 + index;
      const note = (way: 'up' | 'down', bytes: Uint8Array) => {
        packets++;
        capture.datagram({ at: ++at, way, format: 'dtls', serial, device, cloud, bytes });
      };
      let session = 0;
      const server = new DtlsServer({
        ...{ clock, random: seededRandom(`server/${port}/${index}`) },
        events: {
          send: (bytes) => {
            note('down', bytes);
            client.receiveDatagram(bytes);
          },
          keyOf: (_, _identity, answer) => void answer(psk),
          opened: (opened) => {
            session = opened;
          },
          received: () => {},
          closed: () => {},
          failed: () => {},
        },
      });
      const client = new DtlsClient({
        ...{
          identity: keyIdentity(serial),
          psk,
          clock,
          connectionId: null,
          random: seededRandom(`client/${port}/${index}`),
        },
        events: {
          send: (bytes) => {
            note('up', bytes);
            server.receive(bytes, 'device');
          },
          agreed: (random, master) => capture.keys(random, master),
          opened: () => {},
          received: () => {},
          closed: () => {},
        },
      });
      client.start();
      for (const entry of entries) {
        if (entry.kind !== 'packet') continue;
        const plain = encodePacket(entry.packet);
        if (entry.way === 'down') server.send(session, plain, 'device');
        else note('up', client.encrypt(plain) as Uint8Array);
      }
    }
  }
  capture.close();
}

function inspect(path: string) {
  return inspectCapture(readCapture(path), { tokens: [], secrets: [] });
}

function compareReaders(what: string, path: string, { leastPackets }: Size): readonly Verdict[] {
  const frames = askTshark(path, [], ['frame.number', '_ws.malformed', '_ws.expert.severity', 'flap.message.type']);
  const malformed = frames.filter(([, malformed]) => malformed !== '').map(([number]) => number);
  const errors = frames.filter(([, , severity = '']) => severity.split(',').includes(ERROR)).map(([number]) => number);
  const shown = frames.flatMap(([, , , type = '']) => (type === '' ? [] : [Number(type.split(',')[0])]));
  const read = inspect(path).devices.flatMap(messageTypesIn);
  const same = countBy(shown) === countBy(read);
  return [
    {
      what: `${what}: tshark finds no packet malformed, and no error`,
      held: frames.length >= leastPackets && malformed.length === 0 && errors.length === 0,
      detail: `${frames.length} packets, malformed: ${malformed.length} ${malformed.slice(0, 5)}, errors: ${errors.length} ${errors.slice(0, 5)}`,
    },
    {
      what: `${what}: tshark and inspect read the same messages`,
      held: same && read.length > 0,
      detail: countBy(shown),
    },
  ];
}

/** Severity of an error in Wireshark. */
const ERROR = '8388608';

function messageTypesIn({ entries }: InspectedDevice): readonly number[] {
  const text = new MessageText({ decoderOf: () => undefined, secrets: true });
  return [...readDialogue(entries, text)].flatMap((entry) => {
    if (entry.kind !== 'packet') return [];
    const [, name] = /^([A-Z]+_[A-Z]+)(?:,| ·)/.exec(entry.meaning) ?? [];
    const type = name && TYPE[name.toLowerCase().replace('_', '-') as keyof typeof TYPE];
    return type === undefined || type === '' ? [] : [type];
  });
}

function countBy(types: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([type, count]) => `0x${type.toString(16).padStart(2, '0')}: ${count}`)
    .join(', ');
}

/** With their tokens, the tags of all datagrams of the devices are valid. */
function checkTags(path: string, tokens: readonly string[]): Verdict {
  const statuses = (given: readonly string[]) =>
    askTshark(
      path,
      ['-o', `flap.tokens:${given.join(',')}`, '-Y', 'flap.tag && ip.dst == 192.0.2.1'],
      ['flap.tag.status'],
    ).map(([status]) => status);
  const [right, wrong] = [statuses(tokens), statuses(['0'.repeat(32)])];
  return {
    what: 'with the claim tokens, the tags of the devices are valid; with another one, none is',
    held: right.length > 0 && right.every((each) => each === 'valid') && wrong.every((each) => each === 'wrong'),
    detail: `${right.length} tags`,
  };
}

/** The values of fields for each frame. */
function askTshark(path: string, flags: readonly string[], fields: readonly string[]): readonly (readonly string[])[] {
  const words = ['-X', `lua_script:${DISSECTOR}`, '-r', path, ...flags, '-T', 'fields'];
  const out = execFileSync('tshark', [...words, ...fields.flatMap((field) => ['-e', field])], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));
}
