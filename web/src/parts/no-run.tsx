/** A page of the run at the address of a service that has none. Until that is known, the page says only that it loads. */
import type { ComponentChildren } from 'preact';
import { isRunKnown } from '../model/run.js';

interface NoRunProps {
  readonly title: string;
  /** A paragraph that says where the page exists. */
  readonly children: ComponentChildren;
}

export function NoRun({ title, children }: NoRunProps) {
  return (
    <div class="page">
      <h1>{title}</h1>
      {isRunKnown.value ? children : <p class="wait">Loading …</p>}
    </div>
  );
}
