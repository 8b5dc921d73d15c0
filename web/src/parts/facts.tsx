/** Names and values in two columns. Each value is one line of plain text. */
import type { ComponentChildren } from 'preact';
import { printableLine } from '../../../src/kernel/printable.js';

export type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? printableLine(value) : value}</dd>
        </div>
      ))}
    </dl>
  );
}
