/** A UDP echo that only checks and creates the tags of envelopes, as the gateway does. Prints its port. */
import { createSocket } from 'node:dgram';
import { hasValidTag, open, seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { ACK, NOTHING } from '../../src/protocol/flap/packet.js';
import { tokenOf } from './token.js';

const [devices, firstSerial] = process.argv.slice(2).map(Number) as [number, number];
const tokens = new Map<number, Uint8Array>();
for (let n = 0; n < devices; n++) tokens.set(firstSerial + n, tokenBytes(tokenOf(firstSerial + n)));
const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
socket.on('message', (datagram, source) => {
  const envelope = open(datagram, 'base64');
  const token = envelope && tokens.get(envelope.serial);
  if (!token || !hasValidTag(envelope, token)) return;
  const { sequence } = envelope.packet;
  socket.send(
    seal({ flags: ACK, sequence: sequence + 1, data: NOTHING }, envelope.serial, token, 'base64'),
    source.port,
    source.address,
  );
});
socket.bind(0, '127.0.0.1', () => console.log(socket.address().port));
