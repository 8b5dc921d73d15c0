/** The page for scenarios: an editor with a check, the plan as a timeline, and a run in a separate process. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ScenarioCheck, ScenarioWords } from '../../../../src/control/scenarios.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { explain } from '../../api/session.js';
import { counted } from '../../model/count.js';
import { draftName } from '../../model/drafts.js';
import { runState } from '../../model/run.js';
import { checked, drafts, ScenarioClient, scenarioRun } from '../../model/scenarios.js';
import { Action } from '../../parts/action.js';
import { Failure } from '../../parts/failure.js';
import { passFocusOn } from '../../parts/focus.js';
import { useKept } from '../../parts/kept.js';
import { later } from '../../parts/later.js';
import { NoRun } from '../../parts/no-run.js';
import type { Target } from './editor-box.js';
import { Outcome } from './outcome.js';
import { Plan } from './plan.js';

const EditorBox = later(async () => (await import('./editor-box.js')).EditorBox);

export function ScenarioPage() {
  if (runState.value) return <Scenario />;
  return (
    <NoRun title="Scenario">
      <p>
        Scenarios are written and run here at the address that <code>ghostfleet demo</code> or{' '}
        <code>ghostfleet run</code> with <code>--clock real</code> or <code>--pace 60</code> has printed. A service
        alone runs no scenarios.
      </p>
    </NoRun>
  );
}

function Scenario() {
  const client = useMemo(() => new ScenarioClient(), []);
  const [words, setWords] = useState<ScenarioWords>();
  const [failure, setFailure] = useState('');
  const [target, setTarget] = useState<Target>();
  const [seed, setSeed] = useKept('seed', '');
  useEffect(() => {
    const failed = (error: unknown) => setFailure(explain(error));
    client.words().then(setWords, failed);
    client.follow().catch(failed);
    return () => client.close();
  }, [client]);

  /** The editor shows problems of the scenario; the page shows a failure of the request itself. */
  async function check(text: string) {
    try {
      const { problems } = await client.check(text);
      setFailure('');
      return problems;
    } catch (error) {
      setFailure(explain(error));
      return [];
    }
  }

  const { value: result } = checked;
  const { value: shown } = drafts.shown;
  return (
    <div class="page scenario-page">
      <div class="bar">
        <h1>Scenario</h1>
        <Files words={words} example={(name) => client.example(name)} />
        <div class="bar">
          <label>
            Seed{' '}
            <input
              class="short"
              inputMode="numeric"
              placeholder="its own"
              value={seed}
              onInput={({ currentTarget }) => setSeed(currentTarget.value)}
            />
          </label>
          <Action run={() => client.start(drafts.text, seedIn(seed))} isMain>
            Run
          </Action>
        </div>
      </div>
      <Failure text={failure} />
      <Tabs />
      <div class="columns">
        <section>
          <Elsewhere id={shown} />
          <EditorBox
            key={`${shown} ${drafts.taken.value}`}
            id={shown}
            text={drafts.text}
            change={(text) => {
              drafts.change(shown, text);
              setFailure('');
            }}
            check={check}
            words={words}
            target={target}
          />
          <Problems result={result} go={setTarget} />
        </section>
        <div class="sections">
          <Outcome run={scenarioRun.value} client={client} />
          {result?.plan && <Plan plan={result.plan} />}
          {result && !result.plan && <p class="dim">The plan appears here when the scenario is valid.</p>}
        </div>
      </div>
    </div>
  );
}

/** The entered seed; undefined if the field is empty. @throws Error with a sentence if it is not a whole number */
function seedIn(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text);
  throw new Error(`"${text}" is not a whole number from 0`);
}

interface FilesProps {
  readonly words: ScenarioWords | undefined;
  readonly example: (name: string) => Promise<string>;
}

/** The open drafts. */
function Tabs() {
  const { value: closed } = drafts.closed;
  const { value: shown } = drafts.shown;
  return (
    // Takes the focus of a button that goes with its click.
    <nav class="tabs drafts" aria-label="Scenarios" tabIndex={-1}>
      {drafts.all.value.map(({ id, text }) => (
        <span key={id} class={id === shown ? 'current' : ''}>
          <button
            type="button"
            {...(id === shown && { 'aria-current': 'true' as const })}
            onClick={() => {
              drafts.shown.value = id;
            }}
          >
            {draftName(text)}
          </button>
          <button
            type="button"
            aria-label={`Close ${draftName(text)}`}
            title="Close"
            onClick={({ currentTarget }) => {
              passFocusOn(currentTarget);
              drafts.close(id);
            }}
          >
            ×
          </button>
        </span>
      ))}
      {closed && (
        <button
          type="button"
          class="link"
          onClick={({ currentTarget }) => {
            passFocusOn(currentTarget);
            drafts.reopen();
          }}
        >
          Open {draftName(closed.text)} again
        </button>
      )}
    </nav>
  );
}

/** Asks which text to keep if another window has changed the draft. */
function Elsewhere({ id }: { readonly id: string }) {
  useEffect(() => {
    const look = () => drafts.look(id);
    look();
    addEventListener('storage', look);
    return () => removeEventListener('storage', look);
  }, [id]);
  if (!drafts.others.value.has(id)) return null;
  return (
    <p role="alert">
      <span class="late">Another window has changed this scenario.</span> The text below is not saved.{' '}
      <button type="button" onClick={() => drafts.takeOther(id)}>
        Show the other text
      </button>{' '}
      <button type="button" onClick={() => drafts.keepOwn(id)}>
        Keep this text
      </button>
    </p>
  );
}

/** Controls to open and save the text. */
function Files({ words, example }: FilesProps) {
  const [failure, setFailure] = useState('');
  const take = (text: Promise<string>) => {
    setFailure('');
    text.then((read) => drafts.open(read)).catch((error: unknown) => setFailure(explain(error)));
  };
  return (
    <>
      <select
        aria-label="Example"
        value=""
        disabled={!words}
        onChange={({ currentTarget }) => {
          take(example(currentTarget.value));
          currentTarget.value = '';
        }}
      >
        <option value="">Examples</option>
        {words?.examples.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <label class="file">
        Open a file
        <input
          type="file"
          accept=".yaml,.yml"
          class="hidden"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) take(file.text());
            currentTarget.value = '';
          }}
        />
      </label>
      <button type="button" onClick={save}>
        Save as a file
      </button>
      <Failure text={failure} />
    </>
  );
}

function save(): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([drafts.text], { type: 'application/yaml' }));
  link.download = `${draftName(drafts.text)}.yaml`;
  link.click();
  URL.revokeObjectURL(link.href);
}

interface ProblemsProps {
  readonly result: ScenarioCheck | undefined;
  readonly go: (target: Target) => void;
}

/** The problems as a list, for the keyboard and for screen readers. Each problem is a link to its position in the text. */
function Problems({ result, go }: ProblemsProps) {
  if (!result) return <p role="status">Not checked yet.</p>;
  const { problems, warnings } = result;
  return (
    <div class="problems">
      <p role="status" class={problems.length === 0 ? 'good' : 'failed'}>
        {problems.length === 0 ? 'The scenario is valid.' : `The scenario has ${counted(problems.length, 'problem')}.`}
      </p>
      <ul>
        {problems.map(({ line, column, message }) => (
          <li key={`${line}:${column}:${message}`}>
            <button type="button" class="link" onClick={() => go({ line, column })}>
              line {line}, column {column}
            </button>{' '}
            {printableLine(message)}
          </li>
        ))}
        {warnings.map((warning) => (
          <li key={warning}>
            <span class="late">warning:</span> {printableLine(warning)}
          </li>
        ))}
      </ul>
    </div>
  );
}
