/** Counts the DTLS handshakes and the sockets of the devices of a run, at their end of the wire. */
import type { WireRecorder } from '../../src/runner/world/options.js';

interface WireCounts {
  readonly recorder: WireRecorder;
  readonly handshakes: () => number;
  readonly sockets: () => number;
}

export function countWires(): WireCounts {
  let handshakes = 0;
  let sockets = 0;
  const recorder: WireRecorder = {
    begin: () => {},
    record: (wire) => ({
      connect: (serial, receiver, format) => {
        const channel = wire.connect(serial, receiver, format);
        return {
          send: (datagram) => channel.send(datagram),
          reopen: (server, started) => {
            sockets++;
            channel.reopen(server, started);
          },
          agreed: () => handshakes++,
        };
      },
      close: () => wire.close(),
    }),
    take: () => {},
    end: () => {},
  };
  return { recorder, handshakes: () => handshakes, sockets: () => sockets };
}
