/** The elements and attributes that the XML schema of Jenkins' xunit plugin (its "junit-10") allows, as far as reports use them. */
interface Allowed {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  readonly children?: readonly string[];
  /** Whether it may contain text. */
  readonly text?: true;
}

const PROBLEM: Allowed = { optional: ['type', 'message'], text: true };
const ELEMENTS: Readonly<Record<string, Allowed>> = {
  testsuites: { optional: ['name', 'time', 'tests', 'failures', 'errors'], children: ['testsuite'] },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['time', 'skipped', 'timestamp', 'hostname', 'id', 'package'],
    children: ['properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    required: ['name'],
    optional: ['time', 'classname'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  properties: { children: ['property'] },
  property: { required: ['name', 'value'] },
  ...{ failure: PROBLEM, error: PROBLEM, skipped: PROBLEM },
  ...{ 'system-out': { text: true }, 'system-err': { text: true } },
};
/** Older schemas allow these once in a suite. */
const ONCE: ReadonlySet<string> = new Set(['properties', 'system-out', 'system-err']);
const TIME = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/;

/** What a JUnit report contains against the schema, one sentence each. */
export function violations(report: string): readonly string[] {
  const found: string[] = [];
  const open: { readonly name: string; readonly children: string[] }[] = [{ name: 'the document', children: [] }];
  const body = report.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>/, '');
  for (const [, end, name = '', list = '', empty, text] of body.matchAll(
    /<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/g,
  )) {
    const parent = open.at(-1);
    if (text !== undefined) {
      if (text.trim() !== '' && !ELEMENTS[parent?.name ?? '']?.text) found.push(`text in ${parent?.name}`);
    } else if (end === '/') {
      if (open.pop()?.name !== name) found.push(`</${name}> without its beginning`);
    } else {
      const allowed = ELEMENTS[name];
      const siblings = ELEMENTS[parent?.name ?? '']?.children ?? ['testsuites'];
      if (!siblings.includes(name) || allowed === undefined) found.push(`<${name}> in ${parent?.name}`);
      if (ONCE.has(name) && parent?.children.includes(name)) found.push(`a second <${name}> in ${parent.name}`);
      parent?.children.push(name);
      const attributes = new Map(
        [...list.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
      );
      const known = [...(allowed?.required ?? []), ...(allowed?.optional ?? [])];
      found.push(...[...attributes.keys()].filter((key) => !known.includes(key)).map((key) => `${key} of <${name}>`));
      found.push(
        ...(allowed?.required ?? []).filter((key) => !attributes.has(key)).map((key) => `no ${key} of <${name}>`),
      );
      if (!TIME.test(attributes.get('time') ?? '')) found.push(`time "${attributes.get('time')}"`);
      if (empty !== '/') open.push({ name, children: [] });
    }
  }
  return open.length === 1 ? found : [...found, `${open.at(-1)?.name} without its end`];
}
