import { beforeEach, describe, expect, it } from 'vitest';
import { SilentGateway } from '../../../src/runner/targets/silent-gateway.js';
import type { Receiver, Transport } from '../../../src/transport/transport.js';

const DATAGRAM = Uint8Array.of(1);
const SENTENCE = 'nothing comes back from the UDP gateway a (--udp): check this address';

let said: string[];
let receivers: Map<number, Receiver>;
let wire: Transport;
let silent: SilentGateway;

beforeEach(() => {
  said = [];
  receivers = new Map();
  silent = new SilentGateway((sentence) => said.push(sentence));
  const network: Transport = {
    connect: (serial, receiver) => {
      receivers.set(serial, receiver);
      return { send: () => {}, reopen: () => {} };
    },
    close: async () => {},
  };
  wire = silent.watch(network, (format) => (format === 'raw' ? 'b (--udp-raw-port)' : 'a (--udp)'));
});

function device(serial: number, format?: 'raw') {
  const channel = wire.connect(serial, { receive: () => {} }, format);
  return { sends: (times: number) => Array.from({ length: times }, () => channel.send(DATAGRAM)) };
}

describe('the address of a gateway', () => {
  it('is named once, when the first device has sent three datagrams in vain', () => {
    const [one, other] = [device(1), device(2)];
    one.sends(2);
    other.sends(2);
    expect(said).toEqual([]);
    one.sends(1);
    other.sends(5);
    expect(said).toEqual([SENTENCE]);
    expect(silent.sentences).toEqual([SENTENCE]);
  });

  it('is not named if any device got an answer from it', () => {
    const one = device(1);
    device(2).sends(1);
    receivers.get(2)?.receive(DATAGRAM);
    one.sends(9);
    expect(said).toEqual([]);
  });

  it('is not in the report if an answer came late', () => {
    device(1).sends(3);
    receivers.get(1)?.receive(DATAGRAM);
    expect(silent.sentences).toEqual([]);
  });

  it('is judged apart from the other ports', () => {
    device(1).sends(1);
    receivers.get(1)?.receive(DATAGRAM);
    device(2, 'raw').sends(3);
    expect(said).toEqual(['nothing comes back from the UDP gateway b (--udp-raw-port): check this address']);
  });
});
