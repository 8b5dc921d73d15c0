/** The claim token of a device of a benchmark: its serial number in hex digits. */
export function tokenOf(serial: number): string {
  return serial.toString(16).padStart(32, '0');
}
