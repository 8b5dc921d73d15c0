/** Every configuration parameter of every application: order, type, limits and default, tried on the shell of a device. */
import { describe, expect, it } from 'vitest';
import { bench, type CatalogParameter, catalog, profileOf } from './catalog.js';

/** The default value as a listing shows it. */
function shown({ type, default: value }: CatalogParameter): string {
  if (type === 'float') return Number(value).toFixed(2);
  return type === 'enum' || type === 'string' ? `"${value}"` : String(value);
}

/**
 * Values that the shell must accept (`good`), and values that it must reject, each with its message (`bad`).
 * @param slot whether the parameter describes a device on the serial line
 */
function attempts(
  parameter: CatalogParameter,
  slot: boolean,
): { good: readonly string[]; bad: Record<string, string> } {
  const { type, min = 0, max = 0, max_length = 0, values = [] } = parameter;
  switch (type) {
    case 'int':
      return {
        good: [String(min), String(max)],
        bad: { [min - 1]: 'Invalid range', [max + 1]: 'Invalid range', '1.5': 'Invalid format' },
      };
    case 'float':
      return {
        good: [String(min), String(max)],
        bad: { [min - 1]: 'Invalid range', [max + 1]: 'Invalid range', x: 'Invalid value' },
      };
    case 'bool':
      return { good: ['true', 'false'], bad: { yes: 'invalid format' } };
    case 'enum':
      return { good: values, bad: { [`${values[0]}x`]: 'invalid option' } };
    case 'string': {
      const longest = slot ? 'em1xx,1,'.padEnd(max_length, '1') : 'x'.repeat(max_length);
      return { good: [longest], bad: { [`${longest}1`]: 'value too long' } };
    }
    default:
      return type satisfies never;
  }
}

describe.each(catalog)('%s', (name, { parameters, otherBuilds, prefix, recommended }) => {
  it('lists exactly the parameters of its default build, in order', () => {
    const module = profileOf(name).modules.find((known) => known.name === 'app');
    expect(module?.prefix).toBe(prefix);
    expect(module?.parameters.map((spec) => [spec.name, spec.type])).toEqual(
      parameters.map((spec) => [spec.name, spec.type]),
    );
    for (const other of otherBuilds) expect(module?.parameters.map((spec) => spec.name)).not.toContain(other);
  });

  it('shows every default', async () => {
    const { type } = await bench(name, []);
    for (const parameter of parameters) {
      // `bench` has set the radio mode.
      const radio = profileOf(name).timing.mode ? '"none"' : '"lte"';
      const value = parameter.name === 'mode' ? radio : shown(parameter);
      const { lines } = await type(`app config ${parameter.name}`);
      expect(lines).toEqual([`app config ${parameter.name} ${value}`]);
    }
    const mode = parameters.find((parameter) => parameter.name === 'mode');
    const spec = profileOf(name).modules[0]?.parameters.find((known) => known.name === 'mode');
    expect(spec?.default).toBe(mode?.default);
  });

  it('accepts values at the limits, and answers values outside of them or of another form with a message', async () => {
    const { type } = await bench(name);
    for (const parameter of parameters) {
      const set = `app config ${parameter.name}`;
      const { good, bad } = attempts(parameter, parameter.name.startsWith('device-'));
      for (const value of good) {
        expect([set, value, await type(`${set} ${value}`)]).toEqual([set, value, { code: 0, lines: [] }]);
      }
      for (const [value, complaint] of Object.entries(bad)) {
        const { code, lines } = await type(`${set} ${value}`);
        expect([set, value, code, lines[0]]).toEqual([set, value, 0, complaint]);
      }
    }
  });

  it('accepts the setup lines of the vendor', async () => {
    const { type } = await bench(name);
    for (const line of recommended) expect([line, await type(line)]).toEqual([line, { code: 0, lines: [] }]);
    const setup = (line: string) => line.replaceAll('"', '');
    expect(profileOf(name).setup.map(setup)).toEqual(recommended.map(setup));
  });
});
