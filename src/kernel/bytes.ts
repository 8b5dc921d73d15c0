/** Whether a value is bytes. Test environments with a DOM replace the global `Uint8Array`: `instanceof` would not know Node's. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value);
}

/** The bytes of a text in base64, whose padding may be left out; undefined for any other text. */
export function readBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  // `Buffer.from` accepts invalid base64, but encoding the bytes again then gives another text.
  const padded = bytes.toString('base64');
  return text === padded || text === padded.replace(/={1,2}$/, '') ? bytes : undefined;
}
