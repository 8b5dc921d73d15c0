/**
 * At the end, every delivered shell or config downlink is answered, unless a failure ended its execution. If the device only
 * rejects a line, it must still answer a shell downlink. It need not answer a configuration: the configuration that it reports
 * afterwards does not contain the rejected setting.
 *
 * The protocol itself can violate this rule: a downlink can count as delivered although its last fragment was lost
 * (docs/FIDELITY.md, "Delivered is not received"). A downlink that was delivered shortly before the end may not be answered in
 * time.
 */

import { expectsAnswer } from '../downlinks/ledger.js';
import type { TraceEvent } from '../events.js';
import type { Invariant } from './invariant.js';

interface Unanswered {
  readonly serial: number;
  fingerprint: string;
  delivered: Extract<TraceEvent, { readonly kind: 'downlink.delivered' }> | undefined;
}

export const downlinksAnswered: Invariant = {
  about: 'at the end every delivered shell or config downlink is answered, or was refused by the device',
  watch(broken) {
    const open = new Map<string, Unanswered>();
    const close = ({ downlink }: { readonly downlink: string }): void => {
      open.delete(downlink);
    };
    return {
      on: {
        'downlink.queued': ({ downlink, serial, type }) => {
          if (expectsAnswer(type)) open.set(downlink, { serial, fingerprint: '', delivered: undefined });
        },
        'downlink.offered': ({ downlink, print }) => {
          const entry = open.get(downlink);
          if (entry !== undefined) entry.fingerprint = print;
        },
        'downlink.delivered': (event) => {
          const entry = open.get(event.downlink);
          if (entry !== undefined) entry.delivered = event;
        },
        'downlink.executed': ({ serial, type, print, ok, partly }) => {
          if (ok || (partly && type === 'shell')) return;
          const refused = [...open].find(([, entry]) => entry.serial === serial && entry.fingerprint === print);
          if (refused !== undefined) open.delete(refused[0]);
        },
        'downlink.answered': close,
        'downlink.cancelled': close,
        'downlink.expired': close,
      },
      end() {
        for (const [downlink, { serial, delivered }] of open) {
          if (delivered === undefined) continue;
          const what = `downlink ${downlink} was delivered and never answered`;
          broken.add({ at: delivered.at, serial, what, events: [delivered] });
        }
      },
    };
  },
};
