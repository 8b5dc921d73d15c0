import { type Check, complain, describeKey, formed, optional, record, text, valueAt } from '../../input/checks.js';
import { plain } from '../../input/document.js';
import { quote } from '../../input/problems.js';
import type { SetupKind } from './kind.js';

type RequestOptions = {
  /** Path below the space, to which the body is posted. */
  readonly post: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Path below the space for deleting the resource; `{id}` stands for the id of the resource. */
  readonly delete: string;
};

const path = text(/^(?!.*\/\.{1,2}(?:\/|$))\/[\w{}./-]+$/, 'a path below the space such as "/keys"');

const body: Check<Readonly<Record<string, unknown>>> = formed(
  () => ({ type: 'object' }),
  (node, problems) =>
    node.kind === 'map'
      ? // The cast is safe because `plain` returns an object for a map.
        (plain(node) as Readonly<Record<string, unknown>>)
      : complain(node, problems, 'a map: the JSON object that is posted'),
);

const shape = record('request', {
  post: describeKey('Path below the space to which the body is posted.', '/users/invite', path),
  body: describeKey('The JSON object that is posted.', { email: 'ada@example.com' }, body),
  delete: optional(describeKey('Path for the deletion after the run. Default: `<post>/{id}`.', '/users/{id}', path)),
});

/** Any other resource that the API can create. */
export const request: SetupKind<RequestOptions> = {
  about: 'any other resource of the API: posts a body, and deletes <post>/{id} after the run, or the path in "delete"',
  example: 'request: { post: /users/invite, body: { email: ada@example.com }, delete: "/users/{id}" }',
  form: () => shape.form?.() ?? {},
  check: (node, problems) => {
    const read = shape(node, problems);
    const strange = read?.delete?.replaceAll('{id}', '').match(/[{}][^/]*/)?.[0];
    if (strange !== undefined) {
      problems.add(valueAt(node, 'delete'), `${quote(strange)} is not known here; {id} is the id of what was made`);
      return undefined;
    }
    return read && { ...read, delete: read.delete ?? `${read.post}/{id}` };
  },
  describe: ({ post }) => `POST ${post}`,
  run: async (world, { post, body: content, delete: where }) => {
    const { name, email } = content;
    const by = typeof name === 'string' ? { name } : typeof email === 'string' ? { email } : {};
    const called = Object.values(by).map((text) => ` (${text})`);
    const made = { what: `what POST ${post} made${called.join('')}`, path: where, by };
    await world.create(made, () => world.api.post(post, content));
  },
};
