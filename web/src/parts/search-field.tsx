/** A search field, with a sentence about the result. */

interface SearchFieldProps {
  /** Unique on its page. */
  readonly id: string;
  /** Label for screen readers. */
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly change: (text: string) => void;
  /** Sentence about the result. */
  readonly status: string;
  /** Error in the text, shown instead of the status; empty if the text is valid. */
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
