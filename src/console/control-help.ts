/** What consoles say about control commands. */

/** A control command as consoles describe it. */
export interface ControlDescription {
  /** `.sensor` */
  readonly name: string;
  /** The arguments: `QUANTITY NUMBER | free | silent`. */
  readonly usage: string;
  readonly about: string;
  /** What its first argument can be for a device type; empty if that is not a choice. */
  readonly words: readonly string[];
}

/** One line for each command: `.help`. */
export function helpLines(controls: readonly ControlDescription[]): readonly string[] {
  const rows = controls.map(({ name, usage, about }) => [`${name} ${usage}`, about] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, about]) => `  ${left.padEnd(width)}  ${about}`);
}
