/** A form made from a list of fields. */
import { useState } from 'preact/hooks';
import type { Tag } from '../../../src/client/types.js';
import { inputs } from '../model/inputs.js';
import { Failure } from './failure.js';
import type { Field, Values } from './fields.js';
import { useFormName, useKeptForm } from './kept.js';
import { Question } from './question.js';
import { useRequest } from './request.js';

interface SheetProps {
  /** Unique on its page: the name under which the browser keeps what the user has entered. */
  readonly name: string;
  readonly fields: readonly Field[];
  readonly tags: readonly Tag[];
  /** Text of the button. */
  readonly button: string;
  readonly submit: (values: Values) => Promise<void>;
  /** A question that the user must confirm first; undefined without any. */
  readonly ask?: (values: Values) => Promise<string | undefined>;
  /** A sentence after success, with which the fields stay as they are, for the next one. Default: they are as at the beginning. */
  readonly done?: string;
  /** Called by the cancel button, which leaves the form without a request; omitted if the form has no such button. */
  readonly cancel?: () => void;
}

/** A form that is opened by its title. */
export function Form({ title, ...sheet }: Omit<SheetProps, 'name'> & { readonly title: string }) {
  const name = useFormName(title);
  const [isOpen] = useState(() => inputs.get(name) !== undefined);
  return (
    <details class="form" open={isOpen} onToggle={({ currentTarget }) => showOpened(currentTarget)}>
      <summary>{title}</summary>
      <Sheet name={title} {...sheet} />
    </details>
  );
}

/** Scrolls to a form that the user has opened: a panel that scrolls by itself may end just below the title. */
function showOpened(form: HTMLDetailsElement): void {
  if (form.open && form.matches(':focus-within')) form.scrollIntoView({ block: 'nearest' });
}

export function Sheet({ name, fields, tags, button, submit, ask, done, cancel }: SheetProps) {
  const { isBusy, failure, run } = useRequest();
  const [isDone, setDone] = useState(false);
  const left = fields.filter(isLeftOut);
  const kept = useKeptForm(useFormName(name), (field) => !left.some((each) => each.name === field));
  const [question, setQuestion] = useState<{ readonly text: string; readonly confirm: () => void }>();

  function send(event: SubmitEvent): void {
    event.preventDefault();
    if (question !== undefined) return;
    // The cast is safe because the handler belongs to a form.
    const form = event.currentTarget as HTMLFormElement;
    attempt(async () => {
      const values = await valuesOf(form);
      const carryOut = async () => {
        // Before the request, after which the form may be gone or begin anew.
        kept.forget();
        try {
          await submit(values);
        } catch (error) {
          kept.keep();
          throw error;
        }
        setDone(true);
        if (done === undefined) form.reset();
      };
      const text = await ask?.(values);
      if (text === undefined) await carryOut();
      else setQuestion({ text, confirm: () => attempt(carryOut) });
    });
  }

  function attempt(action: () => Promise<void>): void {
    setQuestion(undefined);
    setDone(false);
    void run(action);
  }

  return (
    <form class="stack" ref={kept.form} onSubmit={send} onInput={kept.keep}>
      {kept.isBack && (
        <p class="bar" role="status">
          What you entered before is back{left.length > 0 && ', without secrets and files'}.
          <button
            type="button"
            onClick={() => {
              kept.form.current?.reset();
              kept.forget();
              kept.form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
            }}
          >
            Discard
          </button>
        </p>
      )}
      {fields.map((field) => (
        <Input key={field.name} field={field} tags={tags} />
      ))}
      <Failure text={failure} />
      {isDone && done !== undefined && (
        <p class="good" role="status">
          {done}
        </p>
      )}
      {question && <Question text={question.text} yes={question.confirm} no={() => setQuestion(undefined)} />}
      <div class="bar">
        <button type="submit" class="primary" aria-disabled={isBusy || question !== undefined}>
          {button}
        </button>
        {cancel && (
          <button
            type="button"
            onClick={() => {
              kept.forget();
              cancel();
            }}
          >
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

function isLeftOut({ kind, isSecret = false }: Field): boolean {
  return isSecret || kind === 'password' || kind === 'file';
}

function Input({ field, tags }: { readonly field: Field; readonly tags: readonly Tag[] }) {
  const { name, label, kind, isRequired = false, options = [], hint, initial } = field;
  const common = { name, required: isRequired, ...(hint !== undefined && { placeholder: hint }) };
  switch (kind) {
    case 'lines':
      return (
        <label>
          {label}
          <textarea rows={6} spellcheck={false} {...common} defaultValue={initial ?? ''} />
        </label>
      );
    case 'choice':
      return (
        <label>
          {label}{' '}
          <select name={name}>
            {options.map((option) => (
              <option key={option} value={option} selected={option === initial}>
                {option}
              </option>
            ))}
          </select>
        </label>
      );
    case 'switch':
      return (
        <label>
          <input type="checkbox" name={name} defaultChecked={field.isOn ?? false} /> {label}
        </label>
      );
    case 'tags':
      return <Tags label={label} tags={tags} chosen={field.chosen ?? []} />;
    default:
      return (
        <label>
          {label}{' '}
          <input
            // The cast is needed because Preact's types of the other attributes depend on the value of `type`.
            type={kind as 'text'}
            class="long"
            autoComplete="off"
            {...common}
            {...(initial !== undefined && { defaultValue: initial })}
            {...(field.suggestions && { list: `${name}-suggestions` })}
          />
          {field.suggestions && (
            <datalist id={`${name}-suggestions`}>
              {field.suggestions.map(({ value, about }) => (
                <option key={value} value={value}>
                  {about}
                </option>
              ))}
            </datalist>
          )}
        </label>
      );
  }
}

interface TagsProps {
  readonly label: string;
  readonly tags: readonly Tag[];
  /** Ids of the tags that are chosen at first. */
  readonly chosen: readonly string[];
}

function Tags({ label, tags, chosen }: TagsProps) {
  return (
    <fieldset class="tags">
      <legend>{label}</legend>
      {tags.length === 0 && <span class="dim">The space has no tags.</span>}
      {chosen
        .filter((id) => !tags.some((tag) => tag.id === id))
        .map((id) => (
          // A tag that is not offered, for example because it is new, stays chosen.
          <input key={id} type="hidden" name="tags" value={id} />
        ))}
      {tags.map(({ id, name }) => (
        <label key={id}>
          <input type="checkbox" name="tags" value={id} defaultChecked={chosen.includes(id)} /> {name}
        </label>
      ))}
    </fieldset>
  );
}

async function valuesOf(form: HTMLFormElement): Promise<Values> {
  const data = new FormData(form);
  const files = new Map<string, string>();
  for (const [name, value] of data) if (value instanceof File && value.size > 0) files.set(name, await base64Of(value));
  const text = (name: string) => {
    const value = files.get(name) ?? data.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  return {
    text,
    needed: (name) => {
      const value = text(name);
      if (value === undefined) throw new Error(`The field "${name}" is empty.`);
      return value;
    },
    isOn: (name) => data.has(name),
    tags: () => data.getAll('tags').map((id) => ({ id: String(id) })),
  };
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
