/** Conditions under which a comparison fails. */

/** A number of runs that can be compared. */
export interface Figure {
  readonly metric: string;
  /** Percentile of a duration, above 0 and below 100; null for a count. */
  readonly percent: number | null;
}

/** Met by a change that chance does not explain. */
export interface Condition {
  /** As the user wrote it. */
  readonly line: string;
  readonly figure: Figure;
  readonly comparison: (typeof CHANGES)[number];
  /** Change of B relative to A: 0.1 is 10 % more. */
  readonly limit: number;
}

/** The comparisons of a change with its limit. */
export const CHANGES = ['>', '>=', '<', '<='] as const;

/** `downlink.answered p(95)` */
export function nameFigure({ metric, percent }: Figure): string {
  return percent === null ? metric : `${metric} p(${percent})`;
}

/** Whether a change meets the condition, unless it is chance. */
export function meets({ comparison, limit }: Condition, change: number): boolean {
  switch (comparison) {
    case '>':
      return change > limit;
    case '>=':
      return change >= limit;
    case '<':
      return change < limit;
    case '<=':
      return change <= limit;
    default:
      return comparison satisfies never;
  }
}
