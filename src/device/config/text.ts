/** Parameters as the shell prints them (shell S-12, S-13): the line with the value, and the help lines. */
import type { ParameterSpec, ParameterValue } from '../../profile/parameters.js';
import type { ConfigItem } from './layout.js';

/** `app config interval-report 1800`. As input, the line sets the same value. */
export function readLine(item: ConfigItem, value: ParameterValue): string {
  return `${item.module} config ${item.spec.name} ${valueText(item.spec, value)}`;
}

/** `1800`, `25.00`, `true`, `"lte"`, `00ff`. */
function valueText(spec: ParameterSpec, value: ParameterValue): string {
  switch (spec.type) {
    case 'int':
    case 'bool':
    case 'hex':
      return String(value);
    case 'float':
      return Number.isNaN(value) ? 'nan' : Number(value).toFixed(2);
    case 'enum':
    case 'string':
      return `"${value}"`;
    default:
      return spec satisfies never;
  }
}

/** `  interval-report   :Get/Set report interval in seconds. <30~86400>`, and more lines for some types. */
export function helpLines(spec: ParameterSpec): readonly string[] {
  const head = `  ${spec.name.padEnd(18)}:${spec.help}`;
  switch (spec.type) {
    case 'int':
      return [`${head} <${spec.min}~${spec.max}>`];
    case 'float':
      return [`${head} <${wholeLimit(spec.min)}~${wholeLimit(spec.max)}>`];
    case 'bool':
      return [`${head} <true/false>`];
    case 'enum':
      return [head, ...spec.values.map((value) => `${' '.repeat(21)}- ${value}`)];
    case 'string':
      return head.split('\n');
    case 'hex':
      return [`${head} (len: ${spec.size} B)`];
    default:
      return spec satisfies never;
  }
}

/** The firmware keeps the limits of a float as integers, but prints them with decimals. */
function wholeLimit(limit: number): string {
  return Math.trunc(limit).toFixed(2);
}
