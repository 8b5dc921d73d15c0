/** The bench: control commands for virtual devices, as buttons. Each button enters a line that users can also type. */
import { useState } from 'preact/hooks';
import type { ControlDescription } from '../../../../src/console/control-help.js';
import { CONTROLS, type Control } from './controls.js';

interface BenchProps {
  /** The control commands, with words for the selected devices. */
  readonly descriptions: readonly ControlDescription[];
  readonly isDisabled: boolean;
  readonly enter: (line: string) => void;
}

export function Bench({ descriptions, isDisabled, enter }: BenchProps) {
  return (
    <section class="bench">
      <h2>Bench</h2>
      <p class="dim">Acts on the selected devices from outside. Each button enters a line in the terminal.</p>
      {CONTROLS.map((control) => {
        const words = descriptions.find(({ name }) => name === control.choice)?.words ?? [];
        // A control with a choice is left out if the selected devices offer nothing to choose, such as types without inputs.
        if (descriptions.length > 0 && control.choice !== undefined && words.length === 0) return null;
        return <Group key={control.title} {...{ control, words, isDisabled, enter }} />;
      })}
      <p class="dim">
        All of them: <code>.help</code>
      </p>
    </section>
  );
}

interface GroupProps extends Pick<BenchProps, 'isDisabled' | 'enter'> {
  readonly control: Control;
  readonly words: readonly string[];
}

function Group({ control: { title, choice, number, buttons }, words, isDisabled, enter }: GroupProps) {
  const [chosen, choose] = useState('');
  const [set, setNumber] = useState(number?.initial ?? '');
  // After a change of the selection, the chosen word may be gone; then the first word is used.
  const word = words.includes(chosen) ? chosen : (words[0] ?? '');
  return (
    <fieldset disabled={isDisabled}>
      <legend>{title}</legend>
      <div class="controls">
        {choice !== undefined && (
          <select
            aria-label={`${title}: which`}
            value={word}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            {words.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        )}
        {number && (
          <label>
            <input
              type="number"
              step="any"
              aria-label={`${title}: ${number.unit || 'value'}`}
              value={set}
              onInput={({ currentTarget }) => setNumber(currentTarget.value)}
            />{' '}
            {number.unit}
          </label>
        )}
        {buttons.map(([text, lineFor]) => {
          const line = lineFor({ word, number: set.trim() });
          return (
            <button
              key={text}
              type="button"
              aria-label={`${title}: ${text}`}
              disabled={line === ''}
              onClick={() => enter(line)}
            >
              {text}
            </button>
          );
        })}
      </div>
    </fieldset>
  );
}
