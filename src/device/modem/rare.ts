/** What most modems never have: an unusual place, defects, errors to count. Kept only by those that do. */
import type { Instant } from '../../kernel/time.js';
import type { Signal } from './signal.js';
import type { Defect } from './trouble.js';

export interface Rare {
  /** What the antenna hears, and what it heard when the connection was evaluated last; undefined: the device's own cell. */
  signal?: Signal | undefined;
  evaluated?: Signal | undefined;
  /** Whether the network here grants power saving mode, and whether it did at the last attach. */
  grants: boolean;
  granted: boolean;
  defect?: Defect | undefined;
  /** What the next check will find gone. */
  lost?: 'socket' | 'registration' | 'modem' | undefined;
  /** Errors, and failures to open a socket, since one opened. */
  errors: number;
  socketFailures: number;
  /** Resets that the modem was not prepared for, and when the first of them was. */
  resets: number;
  resetsSince: Instant;
}

export function nothingRare(): Rare {
  return { grants: true, granted: true, errors: 0, socketFailures: 0, resets: 0, resetsSince: 0 };
}
