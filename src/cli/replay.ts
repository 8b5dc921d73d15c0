/** `ghostfleet replay`: predicts the deliveries of a recording and compares them with the recorded ones. */

import { readText } from '../input/text-file.js';
import { EXIT, type ExitCode, InterruptedError } from '../kernel/errors.js';
import { DURATION_FORM, type Millis, parseDuration } from '../kernel/time.js';
import { describeAccuracy } from '../record/describe.js';
import { isWithin } from '../record/predict.js';
import { readRecording } from '../record/read.js';
import { POLLS, type Polls } from '../record/script.js';
import { replayRecording } from '../runner/replay/replay.js';
import { checkOption, defineCommand } from './command.js';
import type { Host } from './host.js';
import { createNotes } from './logs.js';

interface ReplayFlags {
  readonly recording: string;
  readonly within: Millis | undefined;
  readonly polls: Polls;
  readonly json: boolean;
}

export const replay = defineCommand<ReplayFlags>(
  (parser) =>
    parser
      .positional('recording', { type: 'string', demandOption: true, describe: 'file from "ghostfleet record"' })
      .option(
        'within',
        checkOption(
          { describe: 'exit with status 3 if a prediction is off by more than this' },
          'within',
          DURATION_FORM,
          parseDuration,
        ),
      )
      .option('polls', {
        choices: POLLS,
        default: POLLS[0],
        describe:
          'polls that the simulation uses: foretold leaves out those known only from the delivery to predict, recorded uses all',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print one JSON object instead of the report' }),
  execute,
);

async function execute({ recording: file, within, polls, json }: ReplayFlags, host: Host): Promise<ExitCode> {
  const recording = readRecording(await readText(file), file);
  const abort = new AbortController();
  const forget = host.onInterrupt((signal) => abort.abort(new InterruptedError(signal)));
  try {
    const log = createNotes(host.err);
    const accuracy = await replayRecording(recording, { polls, log, signal: abort.signal });
    const passed = within === undefined || isWithin(accuracy, within);
    const limit = within ?? null;
    if (json) host.out.write(`${JSON.stringify({ file, within: limit, polls, passed, ...accuracy }, null, 2)}\n`);
    else host.out.write(describeAccuracy(recording, accuracy, { within: limit, polls }));
    return passed ? EXIT.fine : EXIT.expectation;
  } finally {
    forget();
  }
}
