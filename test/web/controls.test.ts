/** The buttons of the bench. */
import { describe, expect, it } from 'vitest';
import { CONTROL_COMMANDS } from '../../src/console/control-commands.js';
import { describeControls, parseControl } from '../../src/console/control-line.js';
import { profileNamed } from '../../src/profile/library.js';
import { CONTROLS } from '../../web/src/pages/terminal/controls.js';
import { helpText } from '../../web/src/pages/terminal/help.js';

const control = profileNamed('control');
const lines = CONTROLS.flatMap(({ choice, number, buttons }) => {
  const word = describeControls(control).find(({ name }) => name === choice)?.words[0] ?? '';
  return buttons.map(([, line]) => line({ word, number: number?.initial || '3' }));
});

describe('the buttons of the bench', () => {
  it.each(lines)('enter a valid control command: %s', (line) => {
    expect(() => parseControl(line, control, () => ({ file: '', text: '' }))).not.toThrow();
  });

  it('exist for every control command, except for readings over time', () => {
    const used = new Set(lines.map((line) => /^\.(\S+)/.exec(line)?.[1]));
    expect(Object.keys(CONTROL_COMMANDS).filter((name) => !used.has(name))).toEqual(['ramp', 'replay']);
  });

  it('have control commands that .help lists in rows of at most 45 characters', () => {
    const rows = helpText(describeControls(), 45).split('\n');
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(45);
    expect(rows).toContain('  .antenna RSRP | free');
  });

  it('enter nothing without a number that they need', () => {
    const [set] = CONTROLS.find(({ title }) => title === 'Sensor')?.buttons ?? [];
    expect(set?.[1]({ word: 'hygrometer.temperature', number: '' })).toBe('');
  });
});
