/** The shells of virtual devices, and what can be done to devices from outside (`.help`). */
import { useEffect, useRef, useState } from 'preact/hooks';
import { grouped, type Printed } from '../../../../src/console/grouping.js';
import { printable } from '../../../../src/kernel/printable.js';
import { explain } from '../../api/session.js';
import { model } from '../../model/space.js';
import { route } from '../../route.js';
import type { Screen } from '../terminal/line-editor.js';
import { TerminalBox } from '../terminal/terminal-box.js';

/** Control commands as buttons. */
const BUTTONS = [
  ['Press the button', '.button'],
  ['Power cycle', '.power-cycle'],
  ['Radio off', '.radio off'],
  ['Radio on', '.radio on'],
  ['Weak antenna', '.antenna -121'],
  ['Antenna free', '.antenna free'],
  ['Battery 5 %', '.battery 5%'],
  ['New battery', '.battery new'],
  ['Help', '.help'],
] as const;

export function Bench() {
  const [selected] = route.value.rest;
  const [on, setOn] = useState(selected ?? '');
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // The address names devices: their shell is what the user wants to see.
    if (selected !== undefined) section.current?.scrollIntoView();
  }, [selected]);
  const [screen, setScreen] = useState<Screen>();
  const target = on.trim() === '' ? 'all' : on.trim();
  return (
    <section ref={section}>
      <h2>Bench</h2>
      <p class="dim">
        Lines go to the shells of the selected virtual devices; lines that begin with a dot act on them from outside.
        TAB completes words.
      </p>
      <p class="bar">
        <label>
          Devices{' '}
          <input
            value={on}
            placeholder="all, or a selector: cellar/1..3"
            spellcheck={false}
            onInput={({ currentTarget }) => setOn(currentTarget.value)}
          />
        </label>
        {BUTTONS.map(([title, line]) => (
          <button
            key={line}
            type="button"
            disabled={!screen}
            onClick={() => screen && void execute(target, line, screen)}
          >
            {title}
          </button>
        ))}
      </p>
      <TerminalBox
        prompt="bench> "
        opened={(created) => setScreen(() => created)}
        enter={(line, shown) => void execute(target, line, shown)}
        complete={(line) => model().run.complete(target, line)}
      />
    </section>
  );
}

async function execute(on: string, line: string, screen: Screen): Promise<void> {
  if (line.trim() === '') return;
  const answers: Printed[] = [];
  try {
    for await (const { from, code, lines } of model().run.line(on, line)) {
      answers.push({ from, code, lines: lines.map(printable) });
    }
    if (answers.length === 0) screen.print('no device is selected', 'failed');
    else screen.print(grouped(joined(answers)).join('\n'));
  } catch (error) {
    screen.print(explain(error), 'failed');
  }
}

/** The parts of each device as one answer. */
function joined(parts: readonly Printed[]): readonly Printed[] {
  const byDevice = new Map<string, Printed>();
  for (const part of parts) {
    const before = byDevice.get(part.from);
    byDevice.set(part.from, before ? { ...part, lines: [...before.lines, ...part.lines] } : part);
  }
  return [...byDevice.values()];
}
