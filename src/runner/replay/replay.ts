/** Replays a recording. The recording is divided into scripts, which are played one after another, each on a new cloud. */
import type { Log } from '../../kernel/log.js';
import type { Millis } from '../../kernel/time.js';
import { packagedProfiles } from '../../profile/library.js';
import { listScripts, measureAccuracy, type ReplayAccuracy } from '../../record/predict.js';
import type { Recording } from '../../record/recording.js';
import type { Polls } from '../../record/script.js';
import { play } from './play.js';

interface ReplayOptions {
  readonly log: Log;
  readonly polls: Polls;
  /** Ends the replay early; its reason is thrown. */
  readonly signal: AbortSignal;
}

/** @throws UsageError if the recording contradicts itself, or a queue would be too long; the reason of the signal if the signal is aborted */
export async function replayRecording(
  recording: Recording,
  { polls, ...options }: ReplayOptions,
): Promise<ReplayAccuracy> {
  const predicted = new Map<number, Millis>();
  const spooling = new Set([...packagedProfiles()].filter(([, { timing }]) => timing.spoolSize).map(([name]) => name));
  for (const script of listScripts(recording, polls, spooling)) {
    const delivered = await play({ ...options, script, from: recording.from });
    for (const n of script.open) {
      const at = delivered.get(n);
      if (at !== undefined) predicted.set(n, at);
    }
  }
  return measureAccuracy(recording, predicted);
}
