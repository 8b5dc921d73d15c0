/** The dissector for Wireshark, in the program tshark. `npm run prove -- wire` does the same with more packets. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { hasTshark } from '../../scripts/prove/wire.js';
import { seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { FIRST, LAST } from '../../src/protocol/flap/packet.js';
import { ipPacket } from '../../src/wire/ip-packet.js';
import { fileWith, oldCapture, TOKEN, useFolder } from './captures.js';

useFolder();

const NOT_INSTALLED = 'tshark is not installed (apt-get install tshark)';

const frameOf = (payload: Uint8Array) =>
  ipPacket({ address: '10.0.0.7', port: 40_000 }, { address: '192.0.2.1', port: 5002 }, payload);
const envelopeOf = (data: Uint8Array, flags = FIRST | LAST, sequence = 1) =>
  seal({ flags, sequence, data }, 2_159_017_985, tokenBytes(TOKEN), 'raw');

/** What the dissector says of each packet. */
function infoOf(packets: readonly Uint8Array[]): readonly string[] {
  const file = fileWith(oldCapture(101, packets.map(frameOf)), 'pcap');
  const words = ['-X', 'lua_script:wireshark/flap.lua', '-r', file, '-T', 'fields', '-e', '_ws.col.Info'];
  const text = execFileSync('tshark', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return text.trimEnd().split('\n');
}

it('tshark joins no fragments after the last one of a message, nor more than the longest message has', ({ skip }) => {
  if (!hasTshark()) skip(NOT_INSTALLED);
  const stats = Buffer.from('05a0', 'hex');
  const part = Buffer.alloc(1000, 5);
  const long = Array.from({ length: 17 }, (_, n) => envelopeOf(part, n === 0 ? FIRST : n === 16 ? LAST : 0, n + 4));
  const info = infoOf([envelopeOf(stats), envelopeOf(stats, LAST, 2), envelopeOf(stats, LAST, 3), ...long]);
  expect(info.slice(0, 3).filter((line) => line.endsWith('UPLOAD_STATS'))).toHaveLength(3);
  expect(info.at(-1)).toMatch(/fragment 17$/);
});

it('tshark names malformed, short and cut datagrams, without an error in the dissector itself', ({ skip }) => {
  if (!hasTshark()) skip(NOT_INSTALLED);
  const values = ['a2', '1c1c', '5bffffffffffffffff00', '9f01', '010101010101010181', '01010101010101010000bf61', ''];
  const types = [0x00, 0x02, 0x06, 0x07, 0x80, 0x81, 0x82, 0x86, 0x99];
  const malformed = types.flatMap((type) =>
    values.map((value) => envelopeOf(Buffer.from([type, ...Buffer.from(value, 'hex')]))),
  );
  const whole = envelopeOf(Buffer.from('00a0', 'hex'));
  const short = [1, 2, 11, 13].map((length) => whole.subarray(0, length));
  const bytes = oldCapture(101, [...malformed, ...short, whole.subarray(0, 15)].map(frameOf));
  // The last datagram was longer than the capture has kept.
  const last = bytes.length - 28 - 15;
  bytes.writeUInt32LE(28 + 16, last - 4);
  bytes.writeUInt16BE(28 + 16, last + 2);
  bytes.writeUInt16BE(8 + 16, last + 24);
  const lines = execFileSync(
    'tshark',
    [
      ...['-X', 'lua_script:wireshark/flap.lua', '-r', fileWith(bytes, 'pcap')],
      ...['-T', 'fields', '-e', '_ws.lua.error', '-e', '_ws.expert.message'],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  ).split('\n');
  expect(lines.filter((line) => /Lua Error|\.lua:/.test(line))).toEqual([]);
  expect(lines.filter((line) => line.includes('The value of the message is not CBOR'))).toHaveLength(8);
  expect(lines.filter((line) => line.includes('shorter than an envelope'))).toHaveLength(4);
  expect(lines.filter((line) => line.includes('The capture has cut the datagram off'))).toHaveLength(1);
});
