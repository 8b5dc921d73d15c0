/** Whether a value is bytes. Test environments with a DOM replace the global `Uint8Array`: `instanceof` would not know Node's. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value);
}
