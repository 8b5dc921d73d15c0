/** Lets `ghostfleet console` attach to the devices of a command. A failure here never fails the command. */

import type { Fleet } from '../console/member.js';
import { newPlace } from '../console/places.js';
import { ConsoleServer } from '../console/server.js';
import { readRegular } from '../input/text-file.js';
import { entropy } from '../kernel/entropy.js';
import { messageOf } from '../kernel/errors.js';
import type { Host } from './host.js';

/** If consoles cannot attach, returns undefined and writes a message to the error stream. */
export async function openToConsoles(host: Host, fleet: Fleet): Promise<ConsoleServer | undefined> {
  try {
    const random = Math.floor(entropy.next() * 0x1_00_00)
      .toString(16)
      .padStart(4, '0');
    return await ConsoleServer.open({ place: newPlace(fleet.name, random, host.env), fleet, readText: readRegular });
  } catch (error) {
    host.err.write(`ghostfleet: consoles cannot attach: ${messageOf(error)}\n`);
    return undefined;
  }
}
