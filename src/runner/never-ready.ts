/** A warning about devices that were never ready. It is needed because most expectations can pass in spite of such devices. */
import { EXIT } from '../kernel/errors.js';
import { countOf, humanCount } from '../kernel/quantity.js';
import type { RunResult } from '../report/result.js';
import { LACKS, type Lack } from '../trace/metrics/devices.js';

/** Metrics that reveal a device that was never ready: its uplinks, for one, are never late or lost. */
const READINESS = /\bdevice\.(?:ready|up|startup)\b/;

/** What devices did or had that lacked something. */
const WITHOUT: Readonly<Record<Lack, string>> = {
  power: 'never booted',
  session: 'had no session',
  uploads: 'had a session, but did not begin to upload',
  codec: 'had a session, but could not upload the codec',
  config: 'had a session, but could not upload the configuration',
  'update report': 'had a session, but could not report the firmware update',
};

/**
 * A sentence with the number of devices that were never ready, and what they lacked; empty if all were ready, or if the run was
 * interrupted.
 * @param early whether the run ended early, so that the devices could have become ready later
 */
export function warnOfNeverReady({
  fleet,
  exitCode,
  expectations,
  early = false,
}: Pick<RunResult, 'fleet' | 'exitCode' | 'expectations'> & { readonly early?: boolean }): readonly string[] {
  const { devices, ready, lacking } = fleet;
  const missing = devices - ready;
  if (missing <= 0 || exitCode === EXIT.interrupted) return [];
  const one = missing === 1;
  const stages = LACKS.flatMap((what) => {
    const count = lacking[what];
    if (count === undefined) return [];
    return `${count === missing ? (one ? 'it' : 'they') : humanCount(count)} ${WITHOUT[what]}`;
  });
  const never = `${humanCount(missing)} of ${countOf(devices, 'device')} ${one ? 'was' : 'were'} ${early ? 'not ready when the run ended early' : 'never ready'}: ${stages.join('; ')}`;
  const unnoticed = expectations.length > 0 && !expectations.some(({ line }) => READINESS.test(line));
  return [`${never}${unnoticed ? ', and no expectation is about device.ready, device.up or device.startup' : ''}`];
}
