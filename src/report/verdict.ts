/** The verdict on a run in a word or two, the same in every report. */
import { EXIT } from '../kernel/errors.js';
import { humanCount } from '../kernel/quantity.js';
import type { RunResult } from './result.js';

interface Verdict {
  readonly word: 'passed' | 'FAILED' | 'INVALID' | 'interrupted' | 'NOT FINISHED';
  /** `open`: the run says neither that the expectations are met nor that they are not. */
  readonly look: 'good' | 'bad' | 'open';
}

export function verdictOf({ passed, exitCode, failure }: RunResult): Verdict {
  if (exitCode === EXIT.interrupted) return { word: 'interrupted', look: 'open' };
  if (exitCode === EXIT.invalid) return { word: 'INVALID', look: 'bad' };
  if (passed) return { word: 'passed', look: 'good' };
  return { word: failure === null ? 'FAILED' : 'NOT FINISHED', look: 'bad' };
}

/** The mark of an expectation: `?` if the run did not have the data for a verdict. */
export function markOf({ passed, undecided }: RunResult['expectations'][number]): {
  readonly mark: '✓' | '✗' | '?';
  readonly look: Verdict['look'];
  readonly word: string;
} {
  if (passed) return { mark: '✓', look: 'good', word: 'met' };
  return undecided ? { mark: '?', look: 'open', word: 'not decided' } : { mark: '✗', look: 'bad', word: 'not met' };
}

/** Metrics that a device without any session does not meet. The others say nothing about such a device: it makes no uplinks. */
const READINESS = /\bdevice\.(?:ready|up|startup)\b/;

/** What a reader of the verdict has to know, although no expectation says it. */
export function warningsOf({ fleet, exitCode, expectations }: RunResult): readonly string[] {
  const { devices, ready } = fleet;
  const missing = devices - ready;
  if (missing <= 0 || exitCode === EXIT.interrupted) return [];
  const one = missing === 1;
  const never = `${humanCount(missing)} of ${humanCount(devices)} devices ${one ? 'was' : 'were'} never ready: ${one ? 'it' : 'they'} had no session`;
  const unnoticed = expectations.length > 0 && !expectations.some(({ line }) => READINESS.test(line));
  return [`${never}${unnoticed ? ', and no expectation is about device.ready, device.up or device.startup' : ''}`];
}
