/** A server, and clients that the test plays by hand. */
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { vector } from '../../../src/protocol/dtls/bytes.js';
import type { Ending, Rejection } from '../../../src/protocol/dtls/connection.js';
import { MESSAGE } from '../../../src/protocol/dtls/handshake.js';
import {
  clientHello,
  connectionIdIn,
  EXTENSION,
  readHelloVerifyRequest,
  readServerHello,
  SUITE,
} from '../../../src/protocol/dtls/hello.js';
import { CONTENT, NO_ID } from '../../../src/protocol/dtls/record.js';
import { DtlsServer, type ServerOptions, type SessionId } from '../../../src/protocol/dtls/server.js';
import type { Answer } from '../../../src/protocol/dtls/server-connection.js';
import { EndByHand, messagesIn } from './by-hand.js';
import { IDENTITY, PSK } from './pair.js';

/** The last step of the handshake that the client takes before the test continues; each step sends one message. */
type Progress = 'cookie' | 'hello' | 'key exchange' | 'finished';

interface Hello {
  readonly address?: string;
  readonly identity?: string;
  /** The value of each byte of its random number. */
  readonly random?: number;
  readonly version?: readonly [number, number];
  readonly suites?: readonly number[];
  readonly extensions?: readonly (readonly [type: number, content: Uint8Array])[];
}

/** A hello for which the server assigns a connection ID. The records of the server then have no connection ID. */
export const WITH_ID: Hello = { extensions: [[EXTENSION.connectionId, vector(1)]] };

interface Options extends Partial<Pick<ServerOptions, 'random' | 'mostHandshakes'>> {
  /** The server gets no key until the test answers one of `asked`. */
  readonly holdsKeys?: boolean;
}

export function againstClients({ holdsKeys = false, ...options }: Options = {}) {
  const clock = new VirtualClock();
  const sent: { readonly datagram: Uint8Array; readonly address: string }[] = [];
  const asked: Answer[] = [];
  const opened: SessionId[] = [];
  const received: string[] = [];
  const closed: { readonly session: SessionId; readonly ending: Ending }[] = [];
  const failed: { readonly session: SessionId | undefined; readonly identity: string; readonly ending: Ending }[] = [];
  const rejected: Rejection[] = [];
  const server = new DtlsServer({
    ...{ clock, random: seededRandom('server') },
    events: {
      send: (datagram, address) => sent.push({ datagram, address }),
      keyOf: (_session, _identity, answer) => (holdsKeys ? asked.push(answer) : answer(PSK)),
      opened: (session) => opened.push(session),
      received: (_, plain) => received.push(Buffer.from(plain).toString()),
      closed: (session, ending) => closed.push({ session, ending }),
      failed: (session, identity, _, ending) => failed.push({ session, identity, ending }),
      rejected: (why) => rejected.push(why),
    },
    ...options,
  });
  const last = (): Uint8Array | undefined => sent.at(-1)?.datagram;

  /** A client that has taken its first steps. */
  const client = (progress: Progress, hello: Hello = {}) => {
    const at = { address: hello.address ?? 'a:1' };
    const { identity = IDENTITY, suites = [SUITE], extensions = [], version = [0xfe, 0xfd] } = hello;
    const random = new Uint8Array(32).fill(hello.random ?? 1);
    const end = new EndByHand('client', (datagram) => server.receive(datagram, at.address));
    const bodyWith = (cookie: Uint8Array): Uint8Array => {
      const body = clientHello({ random, cookie, suites, extensions: new Map(extensions) });
      body.set(version);
      return body;
    };
    end.say(MESSAGE.clientHello, bodyWith(NO_ID));
    end.restart();
    const body = bodyWith(readHelloVerifyRequest(messagesIn(last())[0]?.part ?? NO_ID) ?? NO_ID);
    let serverHello: ReturnType<typeof readServerHello>;
    let id = NO_ID;
    const steps = {
      sayHello: () => {
        end.say(MESSAGE.clientHello, body);
        const flight = messagesIn(last());
        end.hear(...flight);
        serverHello = readServerHello(flight[0]?.part ?? NO_ID);
        id = (serverHello && connectionIdIn(serverHello.extensions)) ?? NO_ID;
      },
      nameKey: () => {
        end.say(MESSAGE.clientKeyExchange, vector(2, Buffer.from(identity)));
        end.agree({ client: random, server: serverHello?.random ?? NO_ID });
      },
      finish: (content = end.finished()) => end.say(MESSAGE.finished, content, { epoch: 1, id }),
    };
    if (progress !== 'cookie') steps.sayHello();
    if (progress === 'key exchange' || progress === 'finished') steps.nameKey();
    if (progress === 'finished') steps.finish();
    return {
      ...{ ...steps, end, at, body },
      /** Extensions in the answer of the server. */
      extensions: () => serverHello?.extensions,
      /** Its connection ID, chosen by the server. */
      id: () => id,
      send: (text: string) => end.record(CONTENT.applicationData, Buffer.from(text), { epoch: 1, id }),
    };
  };
  return { clock, server, client, sent, asked, opened, received, closed, failed, rejected };
}
