/** A figure in large type with its recent curve. With a chart, a click on the card opens it. */
import type { ComponentChildren } from 'preact';
import type { Curve } from '../model/history.js';
import { Area } from './area.js';

interface CardProps {
  readonly title: string;
  readonly value: ComponentChildren;
  readonly more: ComponentChildren;
  readonly tone?: 'good' | 'late' | 'bad' | undefined;
  /** Undefined without a curve. */
  readonly curve?: Curve | undefined;
  /** Whether the curve fits its values, as for measured values; otherwise it begins at 0, as its chart. */
  readonly fits?: boolean;
  /** What the curve shows, for screen readers: `the last hour`. */
  readonly span?: string;
  /** Whether the chart of the figure is open, and how to open it; left out without a chart. */
  readonly chart?: { readonly isOpen: boolean; readonly toggle: () => void } | undefined;
}

export function Card({ title, value, more, tone, curve, fits = false, span = '', chart }: CardProps) {
  const content = (
    <>
      <span class="title">{title}</span>
      <span class={`number ${tone ?? ''}`}>{value}</span>
      <span class="dim" {...(typeof more === 'string' && { title: more })}>
        {more}
      </span>
      {curve ? <Area curve={curve} label={`${title}, ${span}`} fits={fits} /> : <span class="area" />}
    </>
  );
  if (!chart) return <div class="card">{content}</div>;
  return (
    <button type="button" class="card" aria-expanded={chart.isOpen} onClick={chart.toggle}>
      {content}
    </button>
  );
}
