/** Opens labs (`lab.ts`) for one test; `closeAll`, called after the test, closes them. */
import { type LabOptions, lab } from './lab.js';
import type { receiver } from './receiver.js';

const closing: (() => Promise<unknown>)[] = [];

/** Registers a function that `closeAll` calls. */
export function closeLater(close: () => Promise<unknown>): void {
  closing.push(close);
}

/** Closes everything that the test has opened, the newest first. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

export async function opened(options: LabOptions = {}) {
  const made = await lab(options);
  closeLater(made.close);
  return made;
}

export type Answer = Parameters<typeof receiver>[0];

export const always =
  (status: number): Answer =>
  (_, response) =>
    response.writeHead(status).end('because');
