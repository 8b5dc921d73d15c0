/**
 * The published parameters of each default build are checked in the shell of its device type: default, limits, rejected
 * values, and the values after a save.
 */
import { describe, expect, it } from 'vitest';
import { deviceType } from '../../../src/device/type/device-type.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { shellDevice } from '../shell/shell-device.js';
import { APPLICATION_PARAMETERS, MODULE_PARAMETERS, type Parameter } from './published.js';

/** The device types of the default builds. The parameters of all other builds are compared in test/catalog/builds.test.ts. */
const TYPES = [...packagedProfiles()].flatMap(([name, profile]) =>
  name in APPLICATION_PARAMETERS ? [[name, deviceType(profile)] as const] : [],
);
type Type = (typeof TYPES)[number][1];

/** A function that runs a line on one device of the type, and returns what the line prints. */
function session(type: Type) {
  const { shell } = type;
  const host = shellDevice({ type });
  return (line: string): readonly string[] => {
    const { lines, reboot } = shell.run(host, line);
    if (reboot) host.config.boot();
    return lines;
  };
}

interface Cases {
  /** The default as it is printed. */
  readonly initial: string;
  /** Accepted texts, each with its printed form. */
  readonly taken: readonly (readonly [text: string, printed: string])[];
  /** Rejected texts, each with the first line of the error. */
  readonly refused: readonly (readonly [text: string, complaint: string])[];
}

function casesOf(parameter: Parameter): Cases {
  switch (parameter[1]) {
    case 'int': {
      const [, , initial, min, max] = parameter;
      const outside = [min - 1, max + 1].map((value) => [String(value), 'Invalid range'] as const);
      return {
        initial: String(initial),
        taken: [min, max].map((value) => [String(value), String(value)]),
        refused: [...outside, ['0x10', 'Invalid format'], ['1.5', 'Invalid format']],
      };
    }
    case 'float': {
      const [, , initial, min, max] = parameter;
      return {
        initial: initial.toFixed(2),
        taken: [min, max].map((value) => [String(value), value.toFixed(2)]),
        refused: [
          [String(min - 1), 'Invalid range'],
          [String(max + 1), 'Invalid range'],
          ['x', 'Invalid value'],
        ],
      };
    }
    case 'bool':
      return {
        initial: String(parameter[2]),
        taken: ['true', 'false'].map((text) => [text, text]),
        refused: ['1', 'True', 'yes'].map((text) => [text, 'invalid format']),
      };
    case 'enum':
      return {
        initial: `"${parameter[2]}"`,
        taken: parameter[3].map((text) => [text, `"${text}"`]),
        refused: [['nonsense', 'invalid option']],
      };
    case 'string':
      return {
        initial: `"${parameter[2]}"`,
        taken: ['', 'x'.repeat(parameter[3])].map((text) => [`"${text}"`, `"${text}"`]),
        refused: [['x'.repeat(parameter[3] + 1), 'value too long']],
      };
    case 'device':
      return {
        initial: '""',
        taken: ['', 'or_we_504,12', 'em5xx,247,3'].map((text) => [`"${text}"`, `"${text}"`]),
        refused: [['toaster,1', 'Invalid format. Use: type[,addr[,timeout]]']],
      };
    case 'hex':
      return {
        initial: '00'.repeat(parameter[2]),
        taken: [['A5'.repeat(parameter[2]), 'a5'.repeat(parameter[2])]],
        refused: [
          ['00'.repeat(parameter[2] + 1), 'Length does not match.'],
          ['0g'.repeat(parameter[2]), 'Length does not match.'],
        ],
      };
    default:
      return parameter satisfies never;
  }
}

function check(type: Type, module: string, parameter: Parameter): void {
  const name = `${module} config ${parameter[0]}`;
  const { initial, taken, refused } = casesOf(parameter);
  const typed = session(type);
  // The tag module has its own messages.
  const accepted = module === 'tag' ? ['command succeeded'] : [];
  const line = (value: string) => [`${name} ${value}`, ...accepted];
  expect(typed(name)).toEqual(line(initial));
  for (const [text, complaint] of refused) {
    const [first] = typed(`${name} ${text}`);
    expect([name, text, first]).toEqual([name, text, module === 'tag' ? 'invalid input' : complaint]);
    expect(typed(name)).toEqual(line(initial));
  }
  for (const [text, printed] of taken) {
    expect([text, typed(`${name} ${text}`)]).toEqual([text, accepted]);
    expect(typed(name)).toEqual(line(printed));
    typed('config save');
    expect(typed(name)).toEqual(line(printed));
  }
  typed('config reset');
  expect(typed(name)).toEqual(line(initial));
}

describe.each(TYPES)('%s', (name, type) => {
  const published = APPLICATION_PARAMETERS[name] ?? [];

  it('has the published parameters, in their order, and no others', () => {
    const { parameters = [] } = type.profile.modules.find((module) => module.name === 'app') ?? {};
    expect(parameters.map((parameter) => parameter.name)).toEqual(published.map(([parameter]) => parameter));
  });

  it.each(published)(
    'app config %s has the published default, and accepts and rejects values as published',
    (...parameter) => check(type, 'app', parameter as Parameter),
  );

  const modules = type.profile.modules.filter((module) => module.name !== 'app');
  it.each(
    modules.flatMap((module) =>
      (MODULE_PARAMETERS[module.name] ?? []).map((parameter) => [module.name, parameter] as const),
    ),
  )('%s config %j has the published default, and accepts and rejects values as published', (module, parameter) =>
    check(type, module, parameter),
  );

  it('has the published parameters in its other modules, and no others', () => {
    for (const { name: module, parameters } of modules) {
      const checked = ['mode', 'bands', 'network'];
      const names = parameters
        .map((parameter) => parameter.name)
        .filter((each) => module !== 'lte' || !checked.includes(each));
      expect([module, names]).toEqual([module, (MODULE_PARAMETERS[module] ?? []).map(([parameter]) => parameter)]);
    }
  });
});

it('every application with published parameters is tested', () => {
  expect(TYPES.map(([name]) => name).sort()).toEqual(Object.keys(APPLICATION_PARAMETERS).sort());
});
