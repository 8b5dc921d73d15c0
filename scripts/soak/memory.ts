/** The memory of a service, from its metrics. */

export interface Memory {
  /** Resident memory in bytes. */
  readonly rss: number;
  /** Used heap of the main thread in bytes. */
  readonly heap: number;
}

export async function readMemory(api: string): Promise<Memory> {
  const text = await (await fetch(`${api}/metrics`)).text();
  return { rss: metric(text, 'process_resident_memory_bytes'), heap: metric(text, 'nodejs_heap_size_used_bytes') };
}

function metric(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  if (line === undefined) throw new Error(`the service has no metric ${name}`);
  return Number(line.slice(name.length));
}
