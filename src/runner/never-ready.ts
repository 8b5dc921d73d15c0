/**
 * A warning about devices that never had a session. It is needed because most expectations can pass in spite of such devices.
 */
import { EXIT } from '../kernel/errors.js';
import { humanCount } from '../kernel/quantity.js';
import type { RunResult } from '../report/result.js';

/**
 * Metrics that reveal a device without any session. Other metrics do not: such a device makes no uplinks that could be late or
 * lost.
 */
const READINESS = /\bdevice\.(?:ready|up|startup)\b/;

/** A sentence with the number of devices that were never ready; empty if all were ready, or if the run was interrupted. */
export function neverReady({
  fleet,
  exitCode,
  expectations,
}: Pick<RunResult, 'fleet' | 'exitCode' | 'expectations'>): readonly string[] {
  const { devices, ready } = fleet;
  const missing = devices - ready;
  if (missing <= 0 || exitCode === EXIT.interrupted) return [];
  const one = missing === 1;
  const never = `${humanCount(missing)} of ${humanCount(devices)} devices ${one ? 'was' : 'were'} never ready: ${one ? 'it' : 'they'} had no session`;
  const unnoticed = expectations.length > 0 && !expectations.some(({ line }) => READINESS.test(line));
  return [`${never}${unnoticed ? ', and no expectation is about device.ready, device.up or device.startup' : ''}`];
}
