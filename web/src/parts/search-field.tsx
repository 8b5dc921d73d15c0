/** A field to search in, with a sentence about what it finds. */

interface SearchFieldProps {
  /** Unique on its page. */
  readonly id: string;
  /** For screen readers. */
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly change: (text: string) => void;
  /** What was found. */
  readonly status: string;
  /** What is wrong with the text, in place of the status; empty if nothing is. */
  readonly failure: string;
}

export function SearchField({ id, label, placeholder, text, change, status, failure }: SearchFieldProps) {
  const statusId = `${id}-status`;
  return (
    <>
      <search class="search">
        <label class="hidden" for={id}>
          {label}
        </label>
        <input
          id={id}
          type="search"
          placeholder={placeholder}
          value={text}
          spellcheck={false}
          autoComplete="off"
          aria-describedby={statusId}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      </search>
      <p id={statusId} class={failure ? 'failed' : 'dim'} role="status">
        {failure || status}
      </p>
    </>
  );
}
