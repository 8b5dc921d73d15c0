/** Descriptions of control commands, as consoles show them. */

export interface ControlDescription {
  /** `.sensor` */
  readonly name: string;
  /** The arguments: `QUANTITY NUMBER | free | silent`. */
  readonly usage: string;
  readonly about: string;
  /** Suggested values of the first argument. Empty if the command suggests none, or if no device type is given. */
  readonly words: readonly string[];
}

/** One line for each command: `.help`. */
export function helpLines(controls: readonly ControlDescription[]): readonly string[] {
  const rows = controls.map(({ name, usage, about }) => [`${name} ${usage}`, about] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, about]) => `  ${left.padEnd(width)}  ${about}`);
}
