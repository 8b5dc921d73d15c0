/** The option `--capture` of commands with devices or a service. */
import { UsageError } from '../kernel/errors.js';

export const CAPTURE = {
  type: 'string',
  requiresArg: true,
  describe: 'file for the datagrams on the wire, for Wireshark and "ghostfleet inspect" (pcapng)',
} as const;

/**
 * @param excluded whether options that exclude `--capture` are given, by option
 * @throws UsageError if one is
 */
export function checkCapture(capture: string | undefined, excluded: Readonly<Record<string, boolean>>): void {
  const [wrong] = Object.entries(excluded).find(([, given]) => given) ?? [];
  if (capture === undefined || wrong === undefined) return;
  throw new UsageError(
    'bad-flags',
    `--capture cannot be used with ${wrong}: it records the datagrams of devices in this process`,
  );
}
