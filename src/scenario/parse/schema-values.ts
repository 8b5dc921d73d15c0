/**
 * The values that device types add to the JSON Schema of scenarios: names of profiles, firmware versions, and the parameters of
 * the profile that a group chooses. They only restrict what the checks of the parts accept (schema.ts).
 *
 * A scenario may use profiles in the folder beside it, which a published schema does not know. So the schema accepts an unknown
 * profile unless its name looks like a misspelt one. Without other profiles, it accepts only those that it knows.
 */
import type { Form } from '../../input/checks.js';
import type { ParameterSpec } from '../../profile/parameters.js';
import type { Profile } from '../../profile/profile.js';
import { chooseFirmware } from '../../profile/versions.js';
import { DEFAULT_MODULE } from '../values/config-lines.js';

/** The device types that a schema knows. */
export interface KnownProfiles {
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Whether a scenario may use others. */
  readonly others: boolean;
}

type Forms = Readonly<Record<string, Form>>;

/**
 * A form that restricts a whole scenario, and the definitions to which it refers.
 * @param variable form of a text that uses a variable
 */
export function makeValueForms(
  known: KnownProfiles,
  variable: Form,
): { readonly restriction: Form; readonly definitions: Forms } {
  const { profiles } = known;
  const parameters = new ParameterForms(variable);
  const configs = [...profiles].map(([name, profile]) => [name, parameters.makeConfig([profile])] as const);
  const group: Form = {
    properties: { profile: { anyOf: [makeProfileForm(known), variable] } },
    allOf: [...profiles].map(([name, { firmware }]) =>
      when(isProfile([name]), {
        properties: {
          config: { $ref: `#/definitions/config-of-${name}` },
          firmware: { anyOf: [{ enum: firmware.names.flatMap((version) => [version, `v${version}`]) }, variable] },
        },
      }),
    ),
  };
  const groups: Form = { $ref: '#/definitions/group' };
  const sent = { properties: { config: { $ref: '#/definitions/config-of-any' } } };
  const sending: Form = {
    items: when({ not: { properties: { unknown: { const: true } }, required: ['unknown'] } }, sent),
  };
  const knownGroups = { items: isProfile([...profiles.keys()]) };
  const knownFleet: Form = {
    required: ['fleet'],
    not: { required: ['include'] },
    properties: { fleet: { ...knownGroups, properties: { groups: knownGroups } } },
  };
  return {
    restriction: {
      properties: {
        fleet: { items: groups, properties: { groups: { items: groups } } },
        setup: {
          items: {
            properties: { firmware: { properties: { profile: { anyOf: [makeProfileForm(known), variable] } } } },
          },
        },
      },
      // Only a fleet without other profiles has none but their parameters.
      ...when(knownFleet, { properties: { steps: sending, load: sending } }),
    },
    definitions: {
      group,
      ...Object.fromEntries(configs.map(([name, form]) => [`config-of-${name}`, form])),
      'config-of-any': parameters.makeConfig([...profiles.values()]),
      ...parameters.definitions,
    },
  };
}

function when(condition: Form, then: Form): Form {
  return { if: condition, then };
}

function isProfile(names: readonly string[]): Form {
  return { required: ['profile'], properties: { profile: { enum: names } } };
}

function makeProfileForm({ profiles, others }: KnownProfiles): Form {
  const names = [...profiles.keys()];
  const known = {
    type: 'string',
    enum: names,
    markdownEnumDescriptions: [...profiles.values()].map(({ title }) => title),
  };
  if (!others) return known;
  return { anyOf: [known, { type: 'string', pattern: makeOthersPattern(names) }] };
}

/** Matches names other than the known ones with one letter too many, too few, wrong, or exchanged with the next. */
function makeOthersPattern(names: readonly string[]): string {
  const misspelt = names
    .filter((name) => name.length > SHORT)
    .flatMap((name) =>
      Array.from(name, (letter, i) => {
        const [before, after, next = ''] = [name.slice(0, i), name.slice(i + 1), name[i + 1]];
        return [`${before}[a-z_-]{0,2}${after}`, `${before}${next}${letter}${after.slice(1)}`];
      }).flat(),
    );
  return `^(?!(?:${[...new Set(misspelt)].join('|')})$).+`;
}

/** Names of at most this length resemble too many other words. */
const SHORT = 4;

/** The forms of parameters. Equal ones of several profiles are one definition. */
class ParameterForms {
  readonly definitions: Record<string, Form> = {};
  readonly #variable: Form;

  constructor(variable: Form) {
    this.#variable = variable;
  }

  /** The value of `config`: a map of parameters that one of these profiles has in one of its versions, or lines. */
  makeConfig(profiles: readonly Profile[]): Form {
    const forms = new Map<string, Set<string>>();
    for (const profile of profiles) {
      for (const version of profile.firmware.names) {
        for (const { name: module, parameters } of chooseFirmware(profile, version).modules) {
          for (const spec of parameters) {
            const key = module === DEFAULT_MODULE ? spec.name : `${module} ${spec.name}`;
            forms.set(key, (forms.get(key) ?? new Set()).add(this.#define(key, spec)));
          }
        }
      }
    }
    const properties = [...forms].map(([key, names]) => [key, this.#refer([...names])] as const);
    const short = properties.flatMap(([key]) => (key.includes(' ') ? [] : [key]));
    return {
      anyOf: [
        {
          type: 'object',
          minProperties: 1,
          properties: Object.fromEntries(properties),
          patternProperties: { [`^${DEFAULT_MODULE} (?:${short.join('|')})$`]: {} },
          additionalProperties: false,
        },
        { type: 'array' },
      ],
    };
  }

  #refer(names: readonly string[]): Form {
    const forms = names.map((name) => ({ $ref: `#/definitions/${name}` }));
    const [only, ...more] = forms;
    return only !== undefined && more.length === 0 ? only : { anyOf: forms };
  }

  /** Returns the name of the definition. */
  #define(key: string, spec: ParameterSpec): string {
    const form = { ...describe(spec), anyOf: [makeParameterForm(spec), this.#variable] };
    const text = JSON.stringify(form);
    for (let number = 1; ; number++) {
      const name = `${key.replace(' ', '-')}${number === 1 ? '' : `-${number}`}`;
      const there = this.definitions[name];
      this.definitions[name] = there ?? form;
      if (there === undefined || JSON.stringify(there) === text) return name;
    }
  }
}

function describe({ help, default: usual }: ParameterSpec): Form {
  const [line = ''] = help.split('\n');
  return {
    description: `${line.trim()}${usual === '' ? '' : ` Default: ${usual}.`}`,
    ...(usual !== '' && { examples: [usual] }),
  };
}

/** Accepts what the firmware accepts, and some more: the firmware reads a text. */
function makeParameterForm(spec: ParameterSpec): Form {
  switch (spec.type) {
    case 'int':
      return { type: ['integer', 'string'], minimum: spec.min, maximum: spec.max, pattern: /^\s*[-+\d]*$/.source };
    case 'float':
      return { type: ['number', 'string'], minimum: spec.min, maximum: spec.max, pattern: /[\da-z]/i.source };
    case 'bool':
      return { enum: [true, false, 'true', 'false'] };
    case 'enum':
      return { enum: spec.values.flatMap((value) => [value, ...otherTypes(value)]) };
    case 'string':
      return { type: ['string', 'number', 'boolean'], maxLength: spec.maxLength };
    case 'hex':
      return { type: ['string', 'number'], pattern: /^[\da-fA-F\s]*$/.source };
    default:
      return spec satisfies never;
  }
}

/** Values that YAML reads from the text without quotation marks. */
function otherTypes(text: string): readonly unknown[] {
  if (text === 'true' || text === 'false') return [text === 'true'];
  return /^\d+$/.test(text) ? [Number(text)] : [];
}
