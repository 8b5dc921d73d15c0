/** A warning of devices without any session, which few expectations notice. */
import { EXIT } from '../kernel/errors.js';
import { humanCount } from '../kernel/quantity.js';
import type { RunResult } from '../report/result.js';

/** Metrics that a device without any session does not meet. The others say nothing about such a device: it makes no uplinks. */
const READINESS = /\bdevice\.(?:ready|up|startup)\b/;

/** How many devices were never ready, in a sentence; empty: none, or the run was interrupted. */
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
