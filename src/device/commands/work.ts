/** Commands that only queue some work of the application and print nothing (firmware shell, 6). */
import type { Command } from '../shell/command.js';
import { EINVAL } from '../shell/errno.js';
import { commandHelp } from '../shell/help.js';
import type { ShellHost } from '../shell/host.js';
import { ok, refused } from './results.js';

export const sample = queueing('sample', 'Sample the sensors now.', (host) => host.requestSample());
export const aggreg = queueing('aggreg', 'Close the aggregation windows now.', (host) => host.requestAggregate());
export const send = queueing('send', 'Send a report now.', (host) => host.requestReport());
export const poll = queueing('poll', 'Ask the cloud for a downlink now.', (host) => host.requestPoll());

function queueing(word: string, help: string, queue: (host: ShellHost) => void): Command {
  return {
    word,
    help,
    run: (host, args, command) => {
      if (args.length > 0) return refused(EINVAL, `unknown parameter: ${args[0]}`, ...commandHelp(command));
      queue(host);
      return ok();
    },
  };
}
