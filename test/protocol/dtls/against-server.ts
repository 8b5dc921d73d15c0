/** A client, and a server that the test plays by hand. */
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { DtlsClient } from '../../../src/protocol/dtls/client.js';
import type { Ending } from '../../../src/protocol/dtls/connection.js';
import { MESSAGE } from '../../../src/protocol/dtls/handshake.js';
import { readClientHello, serverHello } from '../../../src/protocol/dtls/hello.js';
import { NO_ID } from '../../../src/protocol/dtls/record.js';
import { EndByHand, messagesIn } from './by-hand.js';
import { IDENTITY, PSK } from './pair.js';

const SERVER_RANDOM = new Uint8Array(32).fill(7);

/** The last message that the server has sent when the test continues: ServerHello, ServerHelloDone or Finished. */
export type Progress = 'nothing' | 'hello' | 'hello done' | 'finished';

/** A ServerHello with these extensions. */
export function helloWith(...extensions: readonly (readonly [type: number, content: Uint8Array])[]): Uint8Array {
  return serverHello({ random: SERVER_RANDOM, extensions: new Map(extensions) });
}

export const plainHello = helloWith();

/** A client, and the server that has taken its first steps. */
export function againstServer(progress: Progress) {
  const sent: Uint8Array[] = [];
  const received: string[] = [];
  const endings: Ending[] = [];
  const client = new DtlsClient({
    ...{ identity: IDENTITY, psk: PSK, clock: new VirtualClock(), random: seededRandom('client') },
    events: {
      send: (datagram) => sent.push(datagram),
      opened: () => {},
      received: (plain) => received.push(Buffer.from(plain).toString()),
      closed: (ending) => endings.push(ending),
    },
  });
  client.start();
  const server = new EndByHand('server', (datagram) => client.receiveDatagram(datagram));
  /** The server answers the last hello of the client. */
  const sayHello = (body = plainHello): void => {
    server.hear(...messagesIn(sent.at(-1)));
    server.say(MESSAGE.serverHello, body);
  };
  /** The server ends its flight. It adds the client's encrypted answer, whose content it computes, to the transcript. */
  const askForKey = (): void => {
    const random = readClientHello(messagesIn(sent.at(-1))[0]?.part ?? NO_ID)?.random ?? NO_ID;
    server.say(MESSAGE.serverHelloDone);
    const [exchange] = messagesIn(sent.at(-1));
    if (exchange === undefined) throw new Error('no answer to ServerHelloDone');
    server.hear(exchange);
    server.agree({ client: random, server: SERVER_RANDOM });
    const part = server.finished('client');
    server.hear({ ...exchange, type: MESSAGE.finished, sequence: exchange.sequence + 1, part });
  };
  const finish = (): void => server.say(MESSAGE.finished, server.finished(), { epoch: 1 });
  if (progress !== 'nothing') sayHello();
  if (progress === 'hello done' || progress === 'finished') askForKey();
  if (progress === 'finished') finish();
  return { client, server, sent, received, endings, sayHello, askForKey, finish };
}
