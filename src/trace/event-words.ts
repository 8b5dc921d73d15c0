/** Events in words, to follow the name of their device. */
import type { BootCause, ContactReason, TraceEvent } from './events.js';

const BOOTS: Readonly<Record<BootCause, string>> = {
  power: 'is switched on',
  shell: 'restarts, as a command wants',
  button: 'restarts, as its button wants',
  config: 'restarts for its new configuration',
  watchdog: 'is restarted by its watchdog',
  'brown-out': 'restarts after a brown-out',
  'claim-token': 'restarts because its claim token is missing',
  update: 'restarts for its new firmware',
};

const WAKES: Readonly<Record<ContactReason, string>> = {
  boot: 'after its start',
  report: 'for a report',
  event: 'for an event',
  poll: 'to poll',
  shell: 'for its shell',
  button: 'for its button',
  answer: 'for an answer',
};

/** `cellar-0003 wakes up for a report` */
export function eventSentence(event: TraceEvent, nameOf: (serial: number) => string): string {
  const words = describeEvent(event);
  return 'serial' in event ? `${nameOf(event.serial)} ${words}` : words;
}

/** `wakes up for a report`; an event without a device is a whole clause: `a fault of the cloud acts: slow` */
function describeEvent(event: TraceEvent): string {
  switch (event.kind) {
    case 'device.boot':
      return BOOTS[event.cause];
    case 'device.ready':
      return 'is ready';
    case 'device.failed':
      return `fails: ${event.why}`;
    case 'device.wake':
      return `wakes up ${WAKES[event.why]}`;
    case 'device.repeat':
      return 'sends a datagram again';
    case 'device.restart':
      return `begins a transfer again: ${event.why}`;
    case 'device.overrun':
      return `gets a datagram of ${event.bytes} bytes, of which it can read ${event.read}`;
    case 'uplink.made':
      return `has an uplink to send (${event.type})`;
    case 'uplink.sent':
      return `sends an uplink (${event.type})`;
    case 'uplink.acked':
      return `knows that the cloud has its uplink (${event.type})`;
    case 'uplink.dropped':
      return `drops an uplink (${event.type}): ${event.why}`;
    case 'radio.paused':
      return `leaves its modem off: ${event.why}`;
    case 'poll.failed':
      return `polls without success: ${event.why}`;
    case 'downlink.received':
      return `receives a downlink (${event.type})`;
    case 'downlink.executed':
      return `${event.ok ? 'executes' : event.partly ? 'executes a part of' : 'rejects'} a downlink (${event.type})`;
    case 'cloud.stored':
      return `has its uplink stored by the cloud (${event.type}${event.copy ? ', a copy' : ''})`;
    case 'cloud.unstored':
      return 'has an uplink acknowledged that the cloud does not store';
    case 'cloud.took':
      return `gets an answer that took the cloud ${event.took} ms`;
    case 'cloud.refused':
      return `the cloud rejects a datagram: ${event.why}`;
    case 'cloud.pruned':
      return `the cloud deletes ${event.messages} old messages`;
    case 'downlink.queued':
      return `has a new downlink in the queue (${event.type})`;
    case 'downlink.rejected':
      return `gets no downlink (${event.type}): the cloud rejects it`;
    case 'downlink.contact':
      return 'makes its first contact since a downlink was queued';
    case 'downlink.offered':
      return 'is sent a downlink by the cloud';
    case 'downlink.delivered':
      return 'has received a downlink, as the cloud knows';
    case 'downlink.answered':
      return 'has answered a downlink';
    case 'downlink.cancelled':
      return 'no longer gets a downlink: it is cancelled';
    case 'downlink.expired':
      return 'no longer gets a downlink: it has expired';
    case 'update.moved':
      return `has its firmware update ${event.state}${event.why === '' ? '' : `: ${event.why}`}`;
    case 'call.waits':
    case 'call.sent':
      return `a request of the load "${event.call}" is sent`;
    case 'call.done':
      return `a request of the load "${event.call}" ends with status ${event.status}`;
    case 'call.dropped':
      return `a request of the load "${event.call}" is dropped: ${event.why}`;
    case 'chain.began':
      return `an iteration of the load "${event.call}" begins`;
    case 'chain.ended':
      return `an iteration of the load "${event.call}" ${event.ok ? 'ends' : 'fails'}`;
    case 'load.closed':
      return `the load "${event.call}" ends`;
    case 'net.fault':
      return `${event.way === 'up' ? 'sends' : 'is sent'} a datagram that is hit by ${event.fault}`;
    case 'service.fault':
      return `a fault of the cloud acts: ${event.fault}`;
    case 'service.process':
      return event.runs ? 'the process of the cloud runs again' : 'the process of the cloud is killed';
    case 'step':
      return `gets the step "${event.step}"${event.ok ? '' : `, which fails: ${event.note}`}`;
    case 'console.action':
      return `is changed by a user: ${event.action}`;
    case 'world.speed':
      return `time passes ${event.speed} times as fast`;
    case 'world.closing':
      return 'the duration of the scenario has passed';
    default:
      return event satisfies never;
  }
}
