/** A terminal for any devices of the space. */
import { SelectedShells } from './selected-shells.js';

export function TerminalPage() {
  return (
    <div class="page">
      <h1>Terminal</h1>
      <SelectedShells />
    </div>
  );
}
