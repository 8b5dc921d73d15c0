/** Actions on many devices ask first: a wrong selection would be hard to undo. */
import { counted } from './count.js';

/** Most devices for which an action does not ask. */
const MOST = 10;

/** `Send the line to 300 devices?`; undefined for few devices */
export function questionFor(action: string, devices: number): string | undefined {
  return devices > MOST ? `${action} ${counted(devices, 'device')}?` : undefined;
}
