import type { RunVerdict } from '../../../src/control/run-state.js';

const TONES = { good: 'good', bad: 'bad', open: 'late' } as const;

/** The verdict on a run in a word. */
export function VerdictBadge({ word, look }: Pick<RunVerdict, 'word' | 'look'>) {
  return <span class={`badge ${TONES[look]}`}>{word}</span>;
}
