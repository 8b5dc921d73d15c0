/** The legend for the causes of waiting, which several plots use. */
import { WAIT_CAUSES, type WaitCause } from '../../trace/downlinks/waits.js';

const TEXTS: Readonly<Record<WaitCause, string>> = {
  asleep: 'device asleep until the next report or poll',
  radio: 'waking the radio, and repetitions',
  transfer: 'packets in transfer',
  service: 'cloud processing',
  device: 'device running, saving or rebooting',
};

export const CAUSE_LEGEND = WAIT_CAUSES.map((cause) => ({ look: cause, name: cause, about: TEXTS[cause] }));
