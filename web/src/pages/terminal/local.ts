/** Executes lines for virtual devices in a run: shell lines and control commands. */
import { grouped, type Printed } from '../../../../src/console/grouping.js';
import { printable } from '../../../../src/kernel/printable.js';
import { explain } from '../../api/session.js';
import type { Run } from '../../model/run.js';
import { helpText } from './help.js';
import type { Screen } from './line-editor.js';

/** Executes a line on the devices that a selector selects, and prints their answers. */
export async function enterLocally(run: Run, on: string, line: string, screen: Screen): Promise<void> {
  if (line.trim() === '') return;
  if (on === '') return screen.print('no device is selected', 'failed');
  const answers: Printed[] = [];
  try {
    if (line.trim() === '.help') return screen.print(helpText((await run.selection(on)).controls, screen.columns));
    for await (const { from, code, lines } of run.line(on, line)) {
      answers.push({ from, code, lines: lines.map(printable) });
    }
    if (answers.length === 0) screen.print('no device is selected', 'failed');
    else screen.print(grouped(joined(answers)).join('\n'));
  } catch (error) {
    screen.print(explain(error), 'failed');
  }
}

/** Joins the parts of each device's answer. */
function joined(parts: readonly Printed[]): readonly Printed[] {
  const byDevice = new Map<string, Printed>();
  for (const part of parts) {
    const before = byDevice.get(part.from);
    byDevice.set(part.from, before ? { ...part, lines: [...before.lines, ...part.lines] } : part);
  }
  return [...byDevice.values()];
}
