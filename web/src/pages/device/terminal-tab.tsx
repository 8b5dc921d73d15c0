/** The remote shell of a device. */
import { printableLine } from '../../../../src/kernel/printable.js';
import { address } from '../../route.js';
import { RemoteTerminal } from '../terminal/remote-terminal.js';
import type { TabProps } from './device-page.js';

export function TerminalTab({ device: { id, device } }: TabProps) {
  return (
    <section>
      <h2 class="hidden">Terminal</h2>
      <p class="dim">
        A line becomes a command downlink. A sleeping device fetches it at its next contact and answers then; the
        answers appear here. Arrow keys recall earlier lines.
      </p>
      <RemoteTerminal
        targets={[{ id, name: printableLine(device.value?.name ?? '') }]}
        localShell={address('run', device.value?.serial_number ?? '')}
      />
    </section>
  );
}
