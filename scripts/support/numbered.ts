/** Bodies of numbered messages. Device and number determine every byte, so that a reader can check identity and content. */

const SHORTEST = 16;
const LENGTHS = 170;

/** Body number `number` of the device, 16 to 185 bytes. */
export function numberedBody(serial: number, number: number): Buffer {
  const body = Buffer.alloc(SHORTEST + ((serial + number * 37) % LENGTHS));
  body.writeUInt32BE(serial, 0);
  body.writeUInt32BE(number, 4);
  for (let i = 8; i < body.length; i++) body[i] = (serial + number * 31 + i * 7) & 0xff;
  return body;
}

/** The number of a stored body; undefined if it is not exactly a body of this device. */
export function numberOf(serial: number, body: Buffer): number | undefined {
  if (body.length < SHORTEST) return undefined;
  const number = body.readUInt32BE(4);
  return numberedBody(serial, number).equals(body) ? number : undefined;
}
