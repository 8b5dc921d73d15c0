/** The control commands of a console: short forms of the steps that act on a device from outside. */
import type { Profile } from '../profile/profile.js';
import { findQuantity, listNumberedNames } from '../profile/quantities.js';
import { STEP_NAMES, STEPS, type StepName, stepForms } from '../scenario/steps/index.js';
import { MODEM_FAULTS } from '../scenario/steps/modem.js';
import { noOptions } from '../scenario/values/no-options.js';
import { quantityOf } from '../scenario/values/quantity.js';

interface ControlCommand {
  /** The step that executes the command. */
  readonly step: StepName;
  /** The arguments: `NAME VALUE`. */
  readonly usage: string;
  /** One line for `.help`. */
  readonly about: string;
  /** The options of the step as YAML; undefined if there are too few or too many arguments. */
  readonly inScenario: (...words: readonly string[]) => string | undefined;
  /** Possible words for each argument, for completion. */
  readonly words?: ((profile: Profile) => readonly (readonly string[])[]) | undefined;
}

const quantities = (profile: Profile) => [listNumberedNames(profile)];
/** This contact is not an input of `.pulse`, because `.line-power` switches it. */
const LINE = 'backup.line_voltage';
/** Quantities to which pulses can be sent: first the counters, then the contacts. */
const inputs = (profile: Profile) => {
  const names = listNumberedNames(profile).filter((name) => name !== LINE);
  const counters = names.filter((name) => quantityOf(profile, name)?.counter);
  const contacts = names.filter((name) => quantityOf(profile, name)?.contact);
  return [[...counters, ...contacts]];
};

/** The commands of steps that have options, and those with a shorter description. */
const SHORT_FORMS: Readonly<Record<string, ControlCommand>> = {
  sensor: {
    step: 'sensor',
    usage: 'QUANTITY NUMBER | free | silent',
    about: 'fixes a reading, returns it to its model (free), or stops the sensor from answering (silent)',
    inScenario: (name, value, ...more) => (value && more.length === 0 ? `{ ${name}: ${scalar(value)} }` : undefined),
    words: (profile) => [...quantities(profile), ['free', 'silent']],
  },
  ramp: {
    step: 'sensor',
    usage: 'QUANTITY NUMBER DURATION',
    about: 'moves a reading to a number within a duration; it stays there',
    inScenario: (name, to, over, ...more) =>
      over && more.length === 0 ? `{ ${name}: { to: ${scalar(to)}, over: ${scalar(over)} } }` : undefined,
    words: quantities,
  },
  replay: {
    step: 'sensor',
    usage: 'QUANTITY FILE.csv',
    about: 'replays readings from a file, starting now with its first row',
    inScenario: (name, file, ...more) =>
      file && more.length === 0 ? `{ ${name}: { replay: ${JSON.stringify(file)} } }` : undefined,
    words: quantities,
  },
  pulse: {
    step: 'pulse',
    usage: 'QUANTITY [TIMES [EVERY]]',
    about: 'sends pulses to a counter, or closes a contact',
    inScenario: (input, times = '1', every = '1s', ...more) =>
      input && more.length === 0
        ? `{ input: ${scalar(input)}, times: ${scalar(times)}, every: ${scalar(every)} }`
        : undefined,
    words: inputs,
  },
  button: {
    step: 'button',
    usage: '[int | x | 1 | 2 | 3 | 4] [CLICKS | DURATION]',
    about: 'clicks or holds a button; int is the button on the board',
    inScenario: (which = 'int', how = '1', ...more) => {
      if (more.length > 0) return undefined;
      return `{ which: ${scalar(which)}, ${/^\d+$/.test(how) ? 'clicks' : 'hold'}: ${scalar(how)} }`;
    },
    words: (profile) => [findQuantity(profile, 'button.1.clicks') ? ['int', 'x', '1', '2', '3', '4'] : ['int']],
  },
  battery: {
    step: 'battery',
    usage: 'new | PERCENT% | VOLTS V',
    about: 'replaces the battery: new, with a charge left (5%), or with a voltage at rest (3.2V)',
    inScenario: (what, ...more) => {
      const [, volts] = /^([\d.,]+) ?[vV]$/.exec([what, ...more].join(' ')) ?? [];
      if (volts !== undefined) return `{ voltage: ${scalar(volts)} }`;
      if (what === undefined || more.length > 0) return undefined;
      return what === 'new' ? what : `{ left: ${scalar(what)} }`;
    },
    words: () => [['new']],
  },
  antenna: {
    step: 'antenna',
    usage: 'RSRP | free',
    about: 'sets the signal at the antenna in dBm, -44 to -156; "free" returns it to the radio model',
    inScenario: (rsrp, ...more) => {
      if (rsrp === undefined || more.length > 0) return undefined;
      return rsrp === 'free' ? rsrp : `{ rsrp: ${scalar(rsrp)} }`;
    },
    words: () => [['free']],
  },
  modem: {
    step: 'modem',
    usage: 'FAULT | mended',
    about: MODEM_FAULTS.filter((fault) => fault !== 'mended').join(', '),
    inScenario: oneWord,
    words: () => [MODEM_FAULTS],
  },
  flash: {
    step: 'flash',
    usage: 'WRITES | new',
    about: 'wears out the flash: settings cannot be saved after this number of writes',
    inScenario: (writes, ...more) => {
      if (writes === undefined || more.length > 0) return undefined;
      return writes === 'new' ? writes : `{ writes-left: ${scalar(writes)} }`;
    },
    words: () => [['new']],
  },
  clock: {
    step: 'clock',
    usage: 'DRIFT | SKEW',
    about: 'makes the clock run fast (120ppm) or jump ahead (2h); negative: slow, back',
    inScenario: (word, ...more) => {
      if (word === undefined || more.length > 0) return undefined;
      return word.endsWith('ppm') ? `{ drift: ${scalar(word)} }` : `{ skew: ${scalar(word)} }`;
    },
  },
};

export const CONTROL_COMMANDS: Readonly<Record<string, ControlCommand>> = { ...SHORT_FORMS, ...makeOtherCommands() };

/** Commands of the other steps that act on a device from outside: without arguments, or with the word of the step. */
function makeOtherCommands(): Readonly<Record<string, ControlCommand>> {
  const forms = stepForms();
  const others = STEP_NAMES.flatMap((step): readonly (readonly [StepName, ControlCommand])[] => {
    const { actsOn, about, check } = STEPS[step];
    if (step in SHORT_FORMS || (actsOn !== 'network' && actsOn !== 'device')) return [];
    if (check === noOptions) return [[step, { step, about, usage: '', inScenario: noWord }]];
    const words = forms[step]?.enum as readonly string[] | undefined;
    return words === undefined
      ? []
      : [[step, { step, about, usage: words.join(' | '), inScenario: oneWord, words: () => [words] }]];
  });
  return Object.fromEntries(others);
}

/** The word as one value in YAML, also if it contains characters that separate values there: `31,5` is not a number. */
function scalar(word: string | undefined): string {
  return word === undefined || /^[\w.%+-]*$/.test(word) ? `${word ?? ''}` : JSON.stringify(word);
}

function oneWord(word?: string, ...more: readonly string[]): string | undefined {
  return more.length === 0 ? word : undefined;
}

function noWord(...words: readonly string[]): string | undefined {
  return words.length === 0 ? '' : undefined;
}
