/** What a device does at this moment, in the words of its user. */
import { humanDuration } from '../kernel/time.js';
import type { ContactReason } from '../trace/events.js';
import type { Firmware } from './firmware/firmware.js';
import type { RadioLink } from './link/radio-link.js';
import type { Modem } from './modem/modem.js';

export interface Doing {
  /** `trouble`: the modem is off, or searches for the network. */
  readonly kind: 'off' | 'asleep' | 'awake' | 'trouble';
  /** `asleep`, `sending fragment 3 of 11 of its report` */
  readonly text: string;
}

interface WatchedDevice {
  /** Undefined while none runs. */
  readonly firmware: Firmware | undefined;
  readonly modem: Pick<Modem, 'state' | 'attempt' | 'wait' | 'resetLoopLeft'>;
  readonly link: Pick<RadioLink, 'busy' | 'progress'>;
  readonly reason: ContactReason;
}

/** @param standstill what the device waits for while the power is on and no firmware runs; undefined otherwise */
export function describeDoing(device: WatchedDevice, standstill: string | undefined): Doing {
  const { firmware, modem } = device;
  if (firmware === undefined) return { kind: 'off', text: standstill ? `waiting for ${standstill}` : 'switched off' };
  const awake = (text: string): Doing => ({ kind: 'awake', text });
  const trouble = (text: string): Doing => ({ kind: 'trouble', text });
  const left = modem.wait === undefined ? '' : humanDuration(modem.wait.remaining);
  switch (modem.state) {
    case 'disabled':
      return firmware.usesLte
        ? awake('starting its sensors')
        : { kind: 'asleep', text: 'measuring, without its modem' };
    case 'boot':
    case 'prepare':
      return awake('starting its modem');
    case 'attach':
      return trouble(`searching for the network: attempt ${modem.attempt}, ${left} left`);
    case 'retry_delay':
      return trouble(`pausing for ${left} before it searches for the network again`);
    case 'reset_loop':
      return trouble(`in the reset loop of its modem: off for another ${humanDuration(modem.resetLoopLeft)}`);
    case 'error':
      return trouble('pausing after an error of its modem');
    case 'gnss':
      return awake('finding its position');
    case 'wakeup':
      return awake('waking its modem');
    case 'send':
      return awake(describeExchange(device, 'sending'));
    case 'receive':
      return awake(describeExchange(device, 'waiting for the answer to'));
    case 'sleep':
    case 'open_socket':
    case 'coneval':
    case 'ready':
      return describeRest(device, firmware, modem.state === 'sleep');
    default:
      return modem.state satisfies never;
  }
}

/** The modem has nothing on the air at this moment. */
function describeRest(device: WatchedDevice, { cloud }: Firmware, isAsleep: boolean): Doing {
  const { link } = device;
  if (!link.busy && isAsleep && !cloud.busy) return { kind: 'asleep', text: 'asleep' };
  const awake = (text: string): Doing => ({ kind: 'awake', text });
  if (!link.busy) return awake(cloud.busy ? 'executing a downlink' : 'going to sleep');
  return awake(isAsleep ? 'pausing before it sends again' : describeExchange(device, 'sending'));
}

function describeExchange({ link: { progress }, reason }: WatchedDevice, doing: string): string {
  if (progress === undefined) return `${doing} its confirmation of a downlink`;
  if (progress.kind === 'poll') {
    const { fragments } = progress;
    if (fragments === 0) return `${doing} its poll for a downlink`;
    return `receiving a downlink: ${fragments === 1 ? '1 fragment' : `${fragments} fragments`} so far`;
  }
  const { fragment, of } = progress;
  return `${doing} ${of === 1 ? '' : `fragment ${fragment} of ${of} of `}${MESSAGES[reason]}`;
}

const MESSAGES: Readonly<Record<ContactReason, string>> = {
  boot: 'its session',
  report: 'its report',
  event: 'its report of an event',
  poll: 'its message',
  shell: 'its message',
  button: 'its report',
  answer: 'its answer',
};
