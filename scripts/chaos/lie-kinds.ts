/** The ways in which a cloud can contradict its devices. Each is a proxy that alters the answers of a correct cloud. */
import type { Message } from '../../src/client/client.js';
import type { Lies } from '../../test/support/lying-proxy.js';

export interface Lie {
  readonly name: string;
  /** Beginning of the rule that a run reports as broken; null if the cloud does not lie. */
  readonly rule: string | null;
  /** How the devices reach the cloud. Over HTTP, their requests also go through the proxy. Default: `udp`. */
  readonly link?: 'udp' | 'http';
  /** Creates the lies of one run. */
  readonly make: () => Lies;
}

const ASKED = 'info serial-number';
const LATER = 'info product-name';
const OTHER = 'info vendor-name';
const swapped = (text: string) => (text.includes(ASKED) ? text.replace(ASKED, LATER) : text.replace(LATER, ASKED));

export const LIES: readonly Lie[] = [
  { name: 'the truth', rule: null, make: () => ({}) },
  { name: 'the truth to devices over HTTP', rule: null, link: 'http', make: () => ({}) },
  {
    name: 'commands queued twice',
    rule: 'the target queues one downlink',
    make: () => ({ times: (method, path) => (method === 'POST' && path.endsWith('/commands') ? 2 : 1) }),
  },
  {
    name: 'commands with another body',
    rule: 'the target delivers what was queued',
    make: () =>
      replaced(
        (text) => text.replace(ASKED, OTHER),
        (text) => text.replace(OTHER, ASKED),
      ),
  },
  {
    name: 'commands in another order',
    rule: 'the target delivers downlinks of one type in the order',
    make: () => replaced(swapped, swapped),
  },
  { name: 'commands that are accepted and forgotten', rule: 'the target queues one downlink', make: forgotten },
  {
    name: '`sent` before the device has received it',
    rule: 'the target says "sent" only',
    make: () => ({
      answer: changed((message) => {
        if (message.direction !== 'down' || message.down_state !== 'pending') return [message];
        return [{ ...message, down_state: 'sent' }];
      }),
    }),
  },
  {
    name: 'an acknowledged uplink that is not stored',
    rule: 'the target stores every uplink',
    make: () => onNth(1, () => []),
  },
  {
    name: 'an uplink with an altered body',
    rule: 'the target stores what the devices sent',
    make: () => onNth(1, (message) => [{ ...message, body: { altered: true } }]),
  },
  {
    name: 'an uplink that is stored twice',
    rule: 'the target stores every uplink once',
    make: () => onNth(1, (message) => [message, { ...message, id: other(message.id) }]),
  },
  { name: 'uplinks in another order', rule: 'the target stores data uplinks in the order', make: exchanged },
  {
    name: 'an answer of a device that is stored twice',
    rule: 'the target stores every uplink once',
    link: 'http',
    make: () => ({
      times: (method, path, body) => (isAnswer(method, path, body) ? 2 : 1),
      // Without this, the cloud would recognise the second request by its idempotency key.
      keepsKey: (_method, path) => !path.endsWith('/uplink'),
    }),
  },
  {
    name: 'an answer of a device that is acknowledged and dropped',
    rule: 'the target stores every uplink that it acknowledges',
    link: 'http',
    make: () => ({ times: (method, path, body) => (isAnswer(method, path, body) ? 0 : 1) }),
  },
  {
    name: 'a command that is delivered again with the next poll',
    rule: 'the target delivers what was queued, once',
    link: 'http',
    make: polledAgain,
  },
  {
    name: 'a command that was never queued, with an invented answer',
    rule: 'the target queues one downlink for each accepted request',
    make: () => ({
      times: (method, path) => (method === 'POST' && path.endsWith('/commands') ? 0 : 1),
      answer: (method, path, answer) =>
        method === 'POST' && path.endsWith('/commands') ? { id: 'invented', type: 'shell' } : answer,
    }),
  },
  {
    name: '`sent` already in the answer to the request',
    rule: 'the target says "sent" only',
    make: () => ({
      answer: (method, path, answer) =>
        method === 'POST' && path.endsWith('/commands') ? { ...(answer as Message), down_state: 'sent' } : answer,
    }),
  },
  {
    name: 'an uplink that no device has sent',
    rule: 'the target stores what the devices sent',
    make: () => onNth(1, (message) => [message, { ...message, id: other(message.id), body: { invented: 1 } }]),
  },
];

/** Another id that sorts at the same place. */
function other(id: string): string {
  return `${id.slice(0, -4)}${id.endsWith('0000') ? 'ffff' : '0000'}`;
}

/** Changes the messages in an answer. */
function changed(change: (message: Message) => readonly Message[]): NonNullable<Lies['answer']> {
  return (_method, path, answer) => {
    if (!/\/(messages|commands)/.test(path) || path.endsWith('/timeline')) return answer;
    // The cast is safe because the service answers with messages.
    if (Array.isArray(answer)) return (answer as readonly Message[]).flatMap(change);
    const [one] = change(answer as Message);
    return one;
  };
}

/** Passes changed commands to the cloud, but shows the original ones. @param back undoes `change` */
function replaced(change: (text: string) => string, back: (text: string) => string): Lies {
  return {
    request: (method, path, body) => (method === 'POST' && path.endsWith('/commands') ? change(body) : body),
    answer: changed((message) => {
      if (message.direction !== 'down') return [message];
      return [{ ...message, body: JSON.parse(back(JSON.stringify(message.body))) }];
    }),
  };
}

/** Whether the request is the answer of a device to a command. */
function isAnswer(method: string, path: string, body: string): boolean {
  return method === 'POST' && path.endsWith('/uplink') && body.includes('"shell"');
}

/** Offers the first command once more, as soon as its device has acknowledged it. */
function polledAgain(): Lies {
  let first: { readonly device: string; readonly offer: unknown } | undefined;
  let next: 'ack' | 'poll' | undefined;
  return {
    answer: (_method, path, answer) => {
      const [, device = '', kind] = /^(.*)\/(poll|ack)$/.exec(path) ?? [];
      // The cast is safe because the service answers polls with an offer.
      const { downlink } = answer as { readonly downlink?: { readonly type: string } | null };
      if (kind === 'poll' && first === undefined && downlink?.type === 'shell') {
        first = { device, offer: answer };
        next = 'ack';
      } else if (device === first?.device && kind === next) {
        next = kind === 'ack' ? 'poll' : undefined;
        return kind === 'ack' ? { poll: true } : first.offer;
      }
      return answer;
    },
  };
}

/** Answers a queueing request with an id that belongs to none of the downlinks. */
function forgotten(): Lies {
  return {
    answer: (method, path, answer) => {
      if (method === 'POST' && path.endsWith('/commands'))
        return { ...(answer as Message), id: other((answer as Message).id) };
      return answer;
    },
  };
}

/** Alters data message number `place`, from 0, in the order in which the cloud first shows the messages. */
function onNth(place: number, alter: (message: Message) => readonly Message[]): Lies {
  const seen: string[] = [];
  return {
    answer: changed((message) => {
      if (message.type !== 'data') return [message];
      if (!seen.includes(message.id)) seen.push(message.id);
      return message.id === seen[place] ? alter(message) : [message];
    }),
  };
}

/** Exchanges the bodies of two messages of a device. The first message is hidden until there is a second. */
function exchanged(): Lies {
  const pair: Message[] = [];
  return {
    answer: (method, path, answer) => {
      if (!path.includes('/messages') || !Array.isArray(answer)) return answer;
      // The cast is safe because the service answers with messages, newest first.
      for (const message of (answer as readonly Message[]).toReversed()) {
        const [first] = pair;
        const isNext = message.type === 'data' && message.id !== first?.id;
        if (pair.length < 2 && isNext && (first === undefined || first.device_id === message.device_id))
          pair.push(message);
      }
      const [first, second] = pair;
      return changed((message) => {
        if (message.id === first?.id) return second === undefined ? [] : [{ ...message, body: second.body }];
        return message.id === second?.id ? [{ ...message, body: first?.body }] : [message];
      })(method, path, answer);
    },
  };
}
