/** Names and values, two columns. Values are shown on one line of plain text each. */
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
