/** `motion`: the two detectors of CHESTER Motion (catalog.json, motion). L->R is a pass to the right, R->L one to the left. */
import { type Seconds, seconds, type UnixSeconds } from '../../kernel/time.js';
import { EINVAL, ENODEV } from '../../protocol/errno.js';
import { leadingInteger } from '../config/parse.js';
import type { Command, CommandResult } from '../shell/command.js';
import type { MotionCounts, MotionSample, ShellMotion } from '../shell/equipment.js';
import type { ShellHost } from '../shell/host.js';
import { failed, groupHelp, later, ok, refused } from './results.js';

/** Default duration of `detection`, in seconds [assumption]. */
const DETECTION = 60;
const DETECTION_MAX = 1800;

export const motion: Command = {
  word: 'motion',
  help: 'The motion detectors.',
  run: groupHelp,
  children: [
    {
      word: 'detection',
      help: 'Show detections as they happen: [1-1800]',
      args: [0, 1],
      run: (host, [text]) => {
        const duration = text === undefined ? DETECTION : leadingInteger(text);
        if (duration < 1 || duration > DETECTION_MAX) return refused(EINVAL, 'timeout must be 1-1800 seconds');
        return onMotion(host, (detectors) => watch(host, detectors, duration));
      },
    },
    {
      word: 'samples',
      help: 'List the stored samples.',
      args: [0, 0],
      run: (host) =>
        onMotion(host, (detectors) => {
          const samples = detectors.samples();
          return ok(
            `Motion Samples (${samples.length} total):`,
            `--TOTAL- ${countsText(detectors.totals())}`,
            '',
            ...samples.map((sample, i) => sampleLine(i, sample)),
          );
        }),
    },
  ],
};

/** `[3] L=4, R=5, L->R=2, R->L=1, 2026-08-07 12:34:56` */
export function sampleLine(index: number, sample: MotionSample): string {
  return `[${index}] ${countsText(sample)}, ${calendar(sample.time)}`;
}

function countsText({ detectLeft, detectRight, motionRight, motionLeft }: MotionCounts): string {
  return `L=${detectLeft}, R=${detectRight}, L->R=${motionRight}, R->L=${motionLeft}`;
}

/** Reads the totals every second. If they have grown, prints one line with the direction and the new totals. */
function watch(host: ShellHost, detectors: ShellMotion, duration: Seconds): CommandResult {
  const look = (left: number, before: MotionCounts): CommandResult => {
    const now = detectors.totals();
    const seen = detectionLines(host, before, now);
    if (left === 0) return ok(...seen, '', 'Detection monitoring stopped.');
    return later(seen, seconds(1), () => look(left - 1, now));
  };
  const head = [
    `Monitoring motion detection for ${duration} seconds...`,
    'Format: [time] direction | delta | L R | pass L->R R->L',
    '',
  ];
  const before = detectors.totals();
  return later(head, seconds(1), () => look(duration - 1, before));
}

function detectionLines(host: ShellHost, before: MotionCounts, now: MotionCounts): readonly string[] {
  const right = now.motionRight - before.motionRight;
  const left = now.motionLeft - before.motionLeft;
  const seen = now.detectLeft - before.detectLeft + (now.detectRight - before.detectRight);
  if (right + left + seen === 0) return [];
  const direction = right > 0 ? 'L->R' : left > 0 ? 'R->L' : now.detectLeft > before.detectLeft ? 'L' : 'R';
  // Time that a person takes from one detector to the other: 0.25 to 0.75 s [assumption]. The sources have no figure.
  const delta = right + left > 0 ? 250 + ((now.detectLeft * 97 + now.detectRight * 61) % 500) : 0;
  const time = calendar(host.readUnixTime()).slice(11);
  const totals = `L=${now.detectLeft} R=${now.detectRight}`;
  const passes = `motion L->R=${now.motionRight} R->L=${now.motionLeft}`;
  return [`[${time}] ${direction} | delta=${delta}ms | ${totals} | ${passes}`];
}

/** `2026-08-07 12:34:56` */
function calendar(time: UnixSeconds): string {
  return new Date(time * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

function onMotion(host: ShellHost, act: (detectors: ShellMotion) => CommandResult): CommandResult {
  return host.equipment.motion ? act(host.equipment.motion) : failed(ENODEV);
}
