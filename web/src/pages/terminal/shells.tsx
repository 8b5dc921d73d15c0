/**
 * A terminal for devices, either for their local shells in a run, or as a remote shell over downlinks. For virtual devices it
 * also shows the bench with control commands.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ControlDescription } from '../../../../src/console/control-help.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { current } from '../../api/session.js';
import { lengthText } from '../../model/length.js';
import { questionFor } from '../../model/many.js';
import { now } from '../../model/now.js';
import { runState } from '../../model/run.js';
import { model } from '../../model/space.js';
import { useFormName } from '../../parts/kept.js';
import { Question } from '../../parts/question.js';
import { Bench } from './bench.js';
import type { LineEditor } from './line-editor.js';
import { enterLocally } from './local.js';
import { Remote, type Target } from './remote.js';
import { TerminalBox } from './terminal-box.js';
import { chosenWay, type Way, way, ways } from './way.js';

interface ShellsProps {
  /** The devices that will receive the next remote line. */
  readonly targets: readonly Target[];
  /** The selector of the run for the next local line; empty for no device. */
  readonly on: string;
  /** Number of devices that the next local line goes to. */
  readonly selected: number;
  /** The control commands for these devices. */
  readonly controls: readonly ControlDescription[];
}

interface Doubted {
  readonly question: string;
  readonly line: string;
}

export function Shells({ targets, on, selected, controls }: ShellsProps) {
  const { feed, run, lines, typed } = model();
  const name = useFormName('line');
  const latest = useRef({ targets, on });
  latest.current = { targets, on };
  /** A line for many devices, which the user has not confirmed yet. */
  const [doubted, setDoubted] = useState<Doubted>();
  const waiting = useRef(false);
  const doubt = (line: Doubted | undefined) => {
    waiting.current = line !== undefined;
    setDoubted(line);
  };
  const [editor, setEditor] = useState<LineEditor>();
  const isLocal = way.value === 'local';
  const remote = useMemo(
    () =>
      editor && new Remote({ client: current().client, feed, targets: () => latest.current.targets, screen: editor }),
    [editor],
  );
  useEffect(() => () => remote?.close(), [remote]);
  useEffect(() => editor?.ask(`${way.value}> `), [editor, way.value]);
  const enter = (line: string) => {
    const question =
      line.trim() === '' ? undefined : questionFor('Send the line to', isLocal ? selected : targets.length);
    // Pasted lines may arrive before the page shows the question.
    if (waiting.current) editor?.print('not sent: answer the question first', 'failed');
    else if (question === undefined) send(line);
    else doubt({ question: `${printableLine(line)}: ${question}`, line });
  };
  const send = (line: string) => {
    if (!editor) return;
    if (way.value === 'local') void enterLocally(run, latest.current.on, line, editor);
    else if (line.trimStart().startsWith('.')) editor.print(NO_CONTROL, 'failed');
    else void remote?.enter(line);
  };
  return (
    <>
      <Ways />
      {doubted && (
        <Question
          text={doubted.question}
          yes={() => {
            doubt(undefined);
            send(doubted.line);
          }}
          no={() => {
            doubt(undefined);
            editor?.print('not sent', 'dim');
          }}
        />
      )}
      {!isLocal && <p role="status">{remote ? waitText(remote.waiting.value) : ''}</p>}
      <div class={isLocal ? 'shells with-bench' : 'shells'}>
        <TerminalBox
          history={lines}
          typed={typedOn(typed, name)}
          opened={setEditor}
          enter={enter}
          complete={async (line) => (runState.value && on !== '' ? run.complete(on, line) : [])}
        />
        {isLocal && (
          <Bench
            descriptions={controls}
            isDisabled={!editor || controls.length === 0}
            enter={(line) => editor?.submit(line)}
          />
        )}
      </div>
    </>
  );
}

function typedOn(typed: Map<string, { line: string }>, name: string): { line: string } {
  const known = typed.get(name) ?? { line: '' };
  typed.set(name, known);
  return known;
}

const NO_CONTROL = 'lines that begin with a dot act on virtual devices: use the local shell';

const WAYS: readonly (readonly [Way, title: string])[] = [
  ['local', 'Local'],
  ['remote', 'Remote'],
];

const ABOUT: Readonly<Record<Way, string>> = {
  local: 'The line goes to the shell of each selected virtual device, which answers at once. TAB completes words.',
  remote: 'The line becomes a command downlink: a sleeping device fetches it at its next contact, and answers then.',
};

/** The choice between local and remote shell, with an explanation. */
function Ways() {
  return (
    <div class="bar">
      {ways.value.length > 1 && (
        <fieldset class="ways">
          <legend class="hidden">Shell</legend>
          {WAYS.map(([key, title]) => (
            <label key={key}>
              <input
                type="radio"
                name="way"
                checked={way.value === key}
                onChange={() => {
                  chosenWay.value = key;
                }}
              />{' '}
              {title}
            </label>
          ))}
        </fieldset>
      )}
      <p class="dim">{ABOUT[way.value]}</p>
      {!runState.value && (
        <p class="dim">
          Local shells exist only for the virtual devices of a run: <code>ghostfleet demo</code> and{' '}
          <code>ghostfleet run --clock real</code> print an address that opens them here.
        </p>
      )}
    </div>
  );
}

function waitText(waiting: Remote['waiting']['value']): string {
  const [oldest] = waiting;
  if (!oldest) return 'No answer is outstanding.';
  const answers = waiting.length === 1 ? 'an answer' : `${waiting.length} answers`;
  const since = lengthText(Math.max(0, now.value - oldest.at));
  return `Waiting for ${answers} for ${since}: a device fetches the line at its next contact, and answers then.`;
}
