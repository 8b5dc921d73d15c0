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

it('tshark names malformed, short and cut datagrams, without an error in the dissector itself', ({ skip }) => {
  if (!hasTshark()) skip(NOT_INSTALLED);
  const frameOf = (payload: Uint8Array) =>
    ipPacket({ address: '10.0.0.7', port: 40_000 }, { address: '192.0.2.1', port: 5002 }, payload);
  const envelopeOf = (message: Uint8Array) =>
    seal({ flags: FIRST | LAST, sequence: 1, data: message }, 2_159_017_985, tokenBytes(TOKEN), 'raw');
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
