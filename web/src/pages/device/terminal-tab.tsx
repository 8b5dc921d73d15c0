/** The shells of a device. */
import { printableLine } from '../../../../src/kernel/printable.js';
import { useSelection } from '../terminal/selection.js';
import { Shells } from '../terminal/shells.js';
import type { TabProps } from './tab.js';

export function TerminalTab({ device: { id, device } }: TabProps) {
  const { name = '', serial_number: serial = '' } = device.value ?? {};
  const selection = useSelection(serial);
  return (
    <section class="page">
      <h2 class="hidden">Terminal</h2>
      <Shells
        targets={[{ id, name: printableLine(name) }]}
        on={serial}
        selected={1}
        controls={selection.value?.controls ?? []}
      />
    </section>
  );
}
