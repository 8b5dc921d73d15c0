/**
 * The end of a process whose output is not read: a pending write to a pipe would keep the process for as long as the reader
 * stalls, such as a wedged terminal or a log that is full.
 */
import { EXIT } from '../kernel/errors.js';
import { type Millis, minutes, seconds } from '../kernel/time.js';

/** How long a reader of messages may stall. After an interrupt, also a reader of the results. */
const OF_MESSAGES: Millis = seconds(5);
/** How long a reader of the results may stall. A script may work for some minutes before it reads on. */
const OF_RESULTS: Millis = minutes(5);

/** The part of the process that is used. */
export interface Ending {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  exitCode?: NodeJS.Process['exitCode'];
  exit(): void;
}

/**
 * Called when the command has ended. If a reader stalls for too long, the process exits as soon as the other one has read
 * everything or stalls too. At a terminal, where a user may page through the results, they wait for the reader until Ctrl-C.
 * @param wasInterrupted whether a signal has asked the command to end
 */
export function leaveStalledReaders(self: Ending, wasInterrupted: boolean): void {
  const { stdout, stderr } = self;
  let waiting = 0;
  let hasStalled = false;
  const wait = (stream: NodeJS.WriteStream, patience: Millis, stalled: () => void) => {
    // Only writes to pipes and sockets can be pending: those to files and terminals block.
    if (!(stream.writableLength > 0)) return;
    waiting++;
    let isWaiting = true;
    const end = () => {
      if (!isWaiting) return;
      isWaiting = false;
      waiting--;
      if (waiting === 0 && hasStalled) self.exit();
    };
    // The callback is called when everything before has been read, or when the reader has closed the pipe.
    stream.write('', end);
    // The time begins anew when the reader has read a part.
    stream.setTimeout(patience, () => {
      hasStalled = true;
      stalled();
      end();
    });
  };
  const say = (sentence: string) => {
    if (stderr.writableLength === 0) stderr.write(`ghostfleet: ${sentence}\n`);
  };
  wait(stderr, OF_MESSAGES, () => {});
  if (stderr.isTTY && !wasInterrupted) return;
  wait(stdout, wasInterrupted ? OF_MESSAGES : OF_RESULTS, () => {
    say('the output is incomplete: its reader has stalled');
    self.exitCode ||= EXIT.usage;
  });
}
