/** Result of a benchmark. */
export interface BenchResult {
  readonly what: string;
  /** The measured figure relative to a peer measured in the same run, or to a fixed limit. */
  readonly ratio: number;
  /** Least ratio with which the benchmark passes. */
  readonly limit: number;
  /** The measured figures, as text. */
  readonly detail: string;
  /** The wanted values of the measured figures. A benchmark can pass without reaching them. */
  readonly goals?: readonly Goal[];
}

/** A wanted figure. docs/SCALE.md explains each one that is not reached. */
export interface Goal {
  readonly figure: string;
  readonly measured: number;
  /** Exactly one of `least` and `most` is given. */
  readonly least?: number;
  readonly most?: number;
  /** Unit of the measured and of the wanted figure. Default: a ratio. */
  readonly unit?: string;
  /** Heading in docs/SCALE.md under which a CPU or memory profile shows what limits the figure. */
  readonly section: string;
}

export interface Bench {
  readonly name: string;
  run(): Promise<readonly BenchResult[]>;
}

/** A goal in a line: whether it is reached, the measured figure, the wanted one, and where to read why it is not reached. */
export function goalLine({ figure, measured, least, most, unit, section }: Goal): string {
  const reached = least === undefined ? measured <= (most ?? 0) : measured >= least;
  const shown = (value: number) => {
    const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
    return `${value.toLocaleString('en', { maximumFractionDigits: digits })}${unit ? ` ${unit}` : ''}`;
  };
  const wanted = least === undefined ? `at most ${shown(most ?? 0)}` : `at least ${shown(least)}`;
  const why = reached ? '' : `; the reason: docs/SCALE.md, "${section}"`;
  return `${reached ? 'reached    ' : 'not reached'} ${figure}: ${shown(measured)} (wanted: ${wanted})${why}`;
}
