/** A device by its name. */
import { printableLine } from '../../../src/kernel/printable.js';
import { model } from '../model/space.js';
import { address } from '../route.js';

/** A link with the name of a device. If the device is not listed yet or is deleted, it shows the end of the id. */
export function DeviceLink({ id }: { readonly id: string }) {
  const { fleet } = model();
  // Reading the signal makes the name appear as soon as the device is listed.
  void fleet.listVersion.value;
  const row = fleet.row(id);
  return row ? (
    <a href={address('devices', id)}>{printableLine(row.name)}</a>
  ) : (
    <code title={id}>…{id.slice(-12)}</code>
  );
}
