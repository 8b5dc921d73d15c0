import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeviceConfig } from '../../../src/device/config/device-config.js';
import { type ConfigItem, configLayout } from '../../../src/device/config/layout.js';
import { readLine } from '../../../src/device/config/text.js';
import { splitWords } from '../../../src/device/shell/words.js';
import type { ParameterSpec } from '../../../src/profile/parameters.js';
import { modules } from './specs.js';

const layout = configLayout(modules());
const items = layout.modules.flatMap((module) => module.items);

function item(module: string, name: string): ConfigItem {
  const found = layout.find(module, name);
  if (!found) throw new Error(`no ${module} ${name} in the test specs`);
  return found;
}

const lines = (config: DeviceConfig) => items.map((each) => readLine(each, config.read(each)));

describe('the written, the running and the saved configuration', () => {
  const interval = item('app', 'interval-report');

  it('a write changes the value that reads return, but not the running firmware', () => {
    const config = new DeviceConfig(layout);
    expect(config.write(interval, '60')).toBeUndefined();
    expect(config.read(interval)).toBe(60);
    expect(config.number('app', 'interval-report')).toBe(1800);
  });

  it('a boot discards unsaved changes', () => {
    const config = new DeviceConfig(layout);
    config.write(interval, '60');
    config.boot();
    expect(config.read(interval)).toBe(1800);
  });

  it('a saved change is in effect after the next boot, and not before', () => {
    const config = new DeviceConfig(layout);
    config.write(interval, '60');
    config.save();
    expect(config.number('app', 'interval-report')).toBe(1800);
    config.boot();
    expect(config.number('app', 'interval-report')).toBe(60);
  });

  it('after a reset, the next boot restores the defaults', () => {
    const config = new DeviceConfig(layout, new Map([['app-clime/interval-report', 60]]));
    expect(config.number('app', 'interval-report')).toBe(60);
    config.reset();
    expect(config.number('app', 'interval-report')).toBe(60);
    config.boot();
    expect(config.number('app', 'interval-report')).toBe(1800);
  });

  it('running values are typed, and tag slots are found by number', () => {
    const config = new DeviceConfig(layout);
    config.write(item('tag', 'devices addr 1'), '00C0FFEE0001');
    config.write(item('tag', 'enabled'), 'true');
    config.write(item('app', 'mode'), 'lte');
    config.save();
    config.boot();
    expect(config.text('app', 'mode')).toBe('lte');
    expect(config.flag('tag', 'enabled')).toBe(true);
    expect([0, 1, 2, 3].map((n) => config.slot('tag', n))).toEqual([undefined, '00c0ffee0001', undefined, undefined]);
  });

  it('reading a number from a missing or a text parameter throws an error that names the parameter', () => {
    const config = new DeviceConfig(layout);
    expect(() => config.number('app', 'scan-mode')).toThrow('"app config scan-mode" is not a number parameter');
    expect(() => config.number('app', 'mode')).toThrow('"app config mode" is not a number parameter');
  });
});

describe('memory', () => {
  it('devices with the same flash content share their settings until one is written', () => {
    const first = new DeviceConfig(layout);
    first.write(item('app', 'mode'), 'lte');
    first.save();
    const second = new DeviceConfig(layout, first.flash);
    expect(second.flash).toBe(first.flash);
    second.write(item('app', 'mode'), 'lrw');
    second.save();
    expect(first.flash.get('app-clime/mode')).toBe('lte');
  });

  it('a device whose values are all defaults stores nothing of its own', () => {
    const config = new DeviceConfig(layout);
    for (const text of ['60', '1800', '1800']) config.write(item('app', 'interval-report'), text);
    config.save();
    expect(config.flash).toBe(new DeviceConfig(layout).flash);
  });
});

describe('any parameter', () => {
  it('is printed as a line that sets the same value on another device', () => {
    fc.assert(
      fc.property(someWrites(), (writes) => {
        const [from, to] = [new DeviceConfig(layout), new DeviceConfig(layout)];
        for (const [target, text] of writes) expect(from.write(target, text)).toBeUndefined();
        for (const target of items) {
          const words = splitWords(readLine(target, from.read(target))).words;
          expect(to.write(target, words.at(-1) ?? '')).toBeUndefined();
        }
        expect(lines(to)).toEqual(lines(from));
      }),
    );
  });

  it('keeps its value when a text is rejected, and so do all other parameters', () => {
    fc.assert(
      fc.property(someWrites(), fc.constantFrom(...items), fc.string(), (writes, target, text) => {
        const config = new DeviceConfig(layout);
        for (const [each, value] of writes) config.write(each, value);
        const before = lines(config);
        if (config.write(target, text) !== undefined) expect(lines(config)).toEqual(before);
      }),
    );
  });
});

/** Writes that every parameter accepts. */
function someWrites(): fc.Arbitrary<readonly (readonly [ConfigItem, string])[]> {
  const write = fc
    .constantFrom(...items)
    .chain((target) => goodTextOf(target.spec).map((text): [ConfigItem, string] => [target, text]));
  return fc.array(write, { maxLength: 20 });
}

/** Generators of accepted texts, made once for each parameter: fast-check takes long to prepare those with a pattern. */
const goodTexts = new Map<ParameterSpec, fc.Arbitrary<string>>();

function goodTextOf(spec: ParameterSpec): fc.Arbitrary<string> {
  const known = goodTexts.get(spec) ?? goodText(spec);
  goodTexts.set(spec, known);
  return known;
}

function goodText(spec: ParameterSpec): fc.Arbitrary<string> {
  switch (spec.type) {
    case 'int':
      return fc.integer({ min: spec.min, max: spec.max }).map(String);
    case 'float':
      // Hundredths, because the printed line has two decimals.
      return fc.integer({ min: spec.min * 100, max: spec.max * 100 }).map((n) => String(n / 100));
    case 'bool':
      return fc.boolean().map(String);
    case 'enum':
      return fc.constantFrom(...spec.values);
    case 'hex':
      return fc.stringMatching(new RegExp(`^[0-9a-fA-F]{${2 * spec.size}}$`));
    case 'string':
      if (spec.check === 'lte-mode') return fc.constantFrom('lte-m', 'nb-iot', 'nb-iot,lte-m');
      if (spec.check === 'lte-bands') return fc.constantFrom('', '8', '8,20');
      if (spec.check === 'lte-network') return fc.stringMatching(/^(\d{5,6})?$/);
      // Neither quotation marks nor backslashes: the firmware prints them unescaped, so such a line cannot be used as input.
      return fc.stringMatching(new RegExp(`^[ !#-[\\]-~]{0,${spec.maxLength}}$`));
    default:
      return spec satisfies never;
  }
}
