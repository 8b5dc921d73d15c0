/** Decoded bytes: sections with names, values and their meanings. */
import { printable } from '../../../src/kernel/printable.js';

export interface Section {
  readonly title: string;
  /** Each fact has a name, a value, and optionally its meaning. */
  readonly facts: readonly (readonly [name: string, value: string, note?: string])[];
  /** A longer text below the facts. */
  readonly text?: string;
}

export function Sections({ sections }: { readonly sections: readonly Section[] }) {
  return sections.map((section) => <Part key={section.title} section={section} />);
}

function Part({ section: { title, facts, text } }: { readonly section: Section }) {
  return (
    <section>
      <h2>{title}</h2>
      {facts.length > 0 && (
        <dl class="facts">
          {facts.map(([name, value, note]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{printable(value)}</code> {note && <span class="dim">{printable(note)}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {text !== undefined && <pre>{printable(text)}</pre>}
    </section>
  );
}
