/** Control commands as buttons, with the line that each button enters. */

/** Values that the user has set: the chosen word, and a number. A value that a control does not have is empty. */
export interface Setting {
  readonly word: string;
  readonly number: string;
}

export interface Control {
  readonly title: string;
  /** Name of the control command, if its first argument is a choice. */
  readonly choice?: string;
  readonly number?: { readonly initial: string; readonly unit: string };
  /** Text of each button, and a function that returns the line to enter, or an empty text if a value is missing. */
  readonly buttons: readonly (readonly [text: string, line: (setting: Setting) => string])[];
}

export const CONTROLS: readonly Control[] = [
  {
    title: 'Button',
    choice: '.button',
    buttons: [
      ['Click', ({ word }) => `.button ${word}`],
      ['Hold 8 s', ({ word }) => `.button ${word} 8s`],
    ],
  },
  {
    title: 'Sensor',
    choice: '.sensor',
    number: { initial: '', unit: '' },
    buttons: [
      ['Set', ({ word, number }) => number && `.sensor ${word} ${number}`],
      ['Free', ({ word }) => `.sensor ${word} free`],
      ['Silence', ({ word }) => `.sensor ${word} silent`],
    ],
  },
  {
    title: 'Pulses',
    choice: '.pulse',
    number: { initial: '1', unit: 'times' },
    buttons: [['Send', ({ word, number }) => number && `.pulse ${word} ${number}`]],
  },
  {
    title: 'Battery',
    number: { initial: '5', unit: '%' },
    buttons: [
      ['Set', ({ number }) => number && `.battery ${number}%`],
      ['New', () => '.battery new'],
    ],
  },
  { title: 'Power', buttons: [['Cycle', () => '.power-cycle']] },
  onOff('Line power', '.line-power', ['Cut', 'Restore']),
  {
    title: 'Antenna',
    number: { initial: '-121', unit: 'dBm' },
    buttons: [
      ['Set', ({ number }) => number && `.antenna ${number}`],
      ['Free', () => '.antenna free'],
    ],
  },
  onOff('Radio', '.radio', ['Off', 'On']),
  onOff('Power saving', '.power-saving', ['Refuse', 'Grant']),
  { title: 'Modem', choice: '.modem', buttons: [['Set', ({ word }) => `.modem ${word}`]] },
  {
    title: 'Flash',
    number: { initial: '0', unit: 'writes left' },
    buttons: [
      ['Set', ({ number }) => number && `.flash ${number}`],
      ['New', () => '.flash new'],
    ],
  },
  {
    title: 'Clock',
    number: { initial: '120', unit: 'ppm' },
    buttons: [['Set drift', ({ number }) => number && `.clock ${number}ppm`]],
  },
];

function onOff(title: string, command: string, [off, on]: readonly [string, string]): Control {
  return {
    title,
    buttons: [
      [off, () => `${command} off`],
      [on, () => `${command} on`],
    ],
  };
}
