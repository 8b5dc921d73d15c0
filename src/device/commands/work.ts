/** Commands that queue work of the application and print nothing themselves (shell S-38). */

import { EINVAL } from '../../protocol/errno.js';
import type { Command } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import type { ShellHost } from '../shell/host.js';
import { sampleLine } from './motion.js';
import { ok, refused } from './results.js';

export const sample = queueing('sample', 'Sample the sensors now.', (host) => {
  const before = host.equipment.motion?.samples().length ?? 0;
  host.application.measureNow('sample');
  // In CHESTER Motion, the work queue prints the sample after taking it.
  const taken = host.equipment.motion?.samples() ?? [];
  const last = taken.at(-1);
  return last && taken.length > before ? [sampleLine(taken.length - 1, last)] : undefined;
});
export const aggreg = queueing('aggreg', 'Close the aggregation windows now.', (host) => {
  host.application.measureNow('aggregate');
  return undefined;
});
export const send = queueing('send', 'Send a report now.', (host) => {
  host.application.reportNow('shell');
  return undefined;
});
export const measure = queueing('measure', 'Weigh now.', (host) => {
  host.application.measureSensor('weight');
  return undefined;
});
/** No output: the firmware writes the result to its log. */
export const test = queueing('test', 'Take a test reading of the scale.', () => undefined);
export const poll = queueing('poll', 'Ask the cloud for a downlink now.', (host) => {
  if (host.receiver) host.application.pollBetweenReports();
  else host.cloud.requestPoll();
  return undefined;
});

/** @param queue queues the work; returns the lines that the work prints after the command has returned, if any */
function queueing(word: string, help: string, queue: (host: ShellHost) => readonly string[] | undefined): Command {
  return {
    word,
    help,
    run: (host, args, command) => {
      if (args.length > 0) return refused(EINVAL, `unknown parameter: ${args[0]}`, ...commandHelp(command));
      const afterwards = queue(host);
      return afterwards ? { ...ok(), afterwards } : ok();
    },
  };
}
