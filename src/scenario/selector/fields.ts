/** The fields of devices that selectors compare. To add one, add it to {@link FIELDS}. */
import { orList } from '../../input/problems.js';
import { type SelectableDevice, STATES } from './device.js';
import { compareVersions, parseVersion } from './version-order.js';

/** The operators between a field and a value. */
export const OPERATORS = ['<=', '>=', '!=', '<', '>', '='] as const;
export type Operator = (typeof OPERATORS)[number];

interface Field {
  /** Whether its value is known only during a run. */
  readonly live: boolean;
  readonly operators: readonly Operator[];
  /** For messages: "a version such as 3.1". */
  readonly wanted: string;
  /**
   * Makes a comparison with `text`, which returns undefined for a device that cannot be compared.
   * @returns undefined if the field cannot be compared with `text`
   */
  readonly compare: (
    operator: Operator,
    text: string,
  ) => ((device: SelectableDevice) => boolean | undefined) | undefined;
}

const EQUALITY = ['=', '!='] as const satisfies readonly Operator[];

export type FieldName = 'name' | 'group' | 'serial' | 'profile' | 'tag' | 'region' | 'fw' | 'battery' | 'state';

export const FIELDS: Readonly<Record<FieldName, Field>> = {
  name: compareTexts(({ name }) => [name]),
  group: compareTexts(({ group }) => [group]),
  serial: compareNumbers('a serial number such as 2159017985', /^\d{1,10}$/, ({ serial }) => serial),
  profile: compareTexts(({ profile }) => [profile]),
  tag: compareTexts(({ tags }) => tags),
  region: compareTexts(({ region }) => (region === null ? [] : [region])),
  fw: { ...makeVersionField(), live: true },
  battery: {
    ...compareNumbers('a number of percent such as 20', /^\d+(?:\.\d+)?%?$/, ({ battery }) => battery),
    live: true,
  },
  state: { ...compareStates(), live: true },
};
// The cast is needed because `Object.keys` returns `string[]`.
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[];

/** Makes a test whether a text matches `word`, in which `*` stands for any characters. */
export function makePattern(word: string): (text: string) => boolean {
  const parts = word.split('*');
  if (parts.length === 1) return (text) => text === word;
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  return (text) => {
    if (!text.startsWith(first)) return false;
    // Taking the earliest match of each part is enough: it leaves the most text for the following parts.
    let from = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, from);
      if (found < 0) return false;
      from = found + part.length;
    }
    return text.length - last.length >= from && text.endsWith(last);
  };
}

/** `=`: at least one of the texts matches; `!=`: none matches. */
function compareTexts(of: (device: SelectableDevice) => readonly string[]): Field {
  return {
    live: false,
    operators: EQUALITY,
    wanted: 'a word, in which * stands for any characters',
    compare: (operator, text) => {
      const fits = makePattern(text);
      return (device) => of(device).some(fits) === (operator === '=');
    },
  };
}

function compareNumbers(wanted: string, form: RegExp, of: (device: SelectableDevice) => number | undefined): Field {
  return {
    live: false,
    operators: OPERATORS,
    wanted,
    compare: (operator, text) => {
      if (!form.test(text)) return undefined;
      const value = Number.parseFloat(text);
      return (device) => {
        const own = of(device);
        return own !== undefined && isFulfilled(operator, own - value);
      };
    },
  };
}

function makeVersionField(): Field {
  return {
    live: false,
    operators: OPERATORS,
    wanted: 'a version such as 3.1 or v3.5.1',
    compare: (operator, text) => {
      if (operator === '=' || operator === '!=') {
        const fits = makeVersionTest(text);
        return ({ fw }) => (fw === undefined ? undefined : fits(fw) === (operator === '='));
      }
      const wanted = parseVersion(text);
      if (wanted === undefined) return undefined;
      return ({ fw }) => {
        const version = fw === undefined ? undefined : parseVersion(fw);
        return version && isFulfilled(operator, compareVersions(version, wanted));
      };
    },
  };
}

/** Makes a test whether a device has this version: an equal one, or this text, in which `*` stands for any characters. */
function makeVersionTest(text: string): (fw: string) => boolean {
  // The same build is wanted, not an equal version.
  const wanted = text.includes('+') ? undefined : parseVersion(text);
  const fits = makePattern(withoutV(text));
  return (fw) => {
    const version = wanted && parseVersion(fw);
    return version && wanted ? compareVersions(version, wanted) === 0 : fits(withoutV(fw));
  };
}

function withoutV(version: string): string {
  return version.replace(/^v(?=\d)/, '');
}

function compareStates(): Field {
  return {
    live: false,
    operators: EQUALITY,
    wanted: `one of ${orList(STATES)}`,
    compare: (operator, text) => {
      const wanted = STATES.find((state) => state === text);
      return wanted && (({ state }) => (state === wanted) === (operator === '='));
    },
  };
}

/** @param difference result of a comparison: below 0, 0 or above 0 */
function isFulfilled(operator: Operator, difference: number): boolean {
  switch (operator) {
    case '<':
      return difference < 0;
    case '<=':
      return difference <= 0;
    case '>':
      return difference > 0;
    case '>=':
      return difference >= 0;
    case '=':
      return difference === 0;
    case '!=':
      return difference !== 0;
    default:
      return operator satisfies never;
  }
}
