/**
 * Opens the link of a device. The wire format decides the dialogue; the family of the firmware decides whether the modem or the
 * link repeats datagrams.
 */
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import { FlapDialogue } from './flap-link.js';
import { HttpDialogue } from './http-link.js';
import { type DeviceEnd, RadioLink } from './radio-link.js';
import { ResendingLink } from './resending-link.js';

export function openLink(device: DeviceEnd, format: LinkFormat): RadioLink {
  const dialogue = format === 'http' ? new HttpDialogue(device) : new FlapDialogue(device, format);
  const { resend } = device.policy.transfers;
  return resend ? new ResendingLink(device, dialogue, resend) : new RadioLink(device, dialogue);
}
