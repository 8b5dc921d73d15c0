/** The button on the board (behaviour B-31; shell S-18). */
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import type { ClickAction } from '../../profile/profile.js';
import type { Firmware } from './firmware.js';

/** Runs the action for so many clicks in a row, at once (timing T-6). During the start-up, only the reboot works. */
export function takeClicks(firmware: Firmware, clicks: number): void {
  for (const action of firmware.profile.clicks[clicks - 1] ?? []) {
    if (firmware.application.running || action === 'reboot') act(firmware, action);
  }
}

function act(firmware: Firmware, action: ClickAction): void {
  switch (action) {
    case 'sample':
      firmware.application.measureNow('sample');
      break;
    case 'aggregate':
      firmware.application.measureNow('aggregate');
      break;
    case 'send':
      firmware.application.reportNow('button');
      break;
    case 'poll':
      firmware.cloud.requestPoll();
      break;
    case 'scan':
      firmware.receiver?.begin();
      firmware.application.planScan();
      break;
    case 'reboot':
      firmware.hardware.reboot('button');
      break;
    default:
      action satisfies never;
  }
}

/** The button erases the settings if it is held for at least this long during a boot, and for at most twice this long. */
const HOLD: Millis = seconds(5);
/** How long the red LED confirms the erase. */
const FAREWELL: Millis = seconds(2);

/** When a button pressed until `until` erases the settings of a device that boots at `boot`; undefined for never. */
export function findFactoryReset(boot: Instant, until: Instant): Instant | undefined {
  return until >= boot + HOLD && until <= boot + 2 * HOLD ? until + FAREWELL : undefined;
}
