import type { ConnectorTrigger } from '../../client/client.js';
import { CONNECTOR_LIMITS, isScript, LONGEST_SCRIPT } from '../../contract/limits.js';
import {
  type Check,
  complain,
  describeKey,
  duration,
  formOf,
  list,
  oneOf,
  optional,
  record,
  refine,
  text,
  valueAt,
} from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { type Seconds, seconds } from '../../kernel/time.js';
import { cloudName } from '../values/cloud-name.js';
import { readFileOf } from './file.js';
import type { SetupKind, SetupScope } from './kind.js';

type ConnectorOptions = {
  readonly name: string;
  /** JavaScript with a function `main(job)`. */
  readonly script: string;
  /** Names of tags; missing tags are created. */
  readonly tags: readonly string[];
  readonly triggers: readonly ConnectorTrigger[];
  readonly direction: 'up' | 'down';
  /** In seconds; null for the default of the service. */
  readonly retryDelays: readonly number[] | null;
  /** null for the default of the service. */
  readonly timeout: Seconds | null;
};

/** The API accepts whole seconds only. */
const wholeSeconds = (most: number, named: string): Check<number> =>
  refine(duration, (length, node, problems) => {
    if (length % seconds(1) !== 0) return complain(node, problems, 'a whole number of seconds such as "30s"');
    if (length > seconds(most)) return complain(node, problems, `a duration of at most ${named}`);
    return length / seconds(1);
  });
const delays = list(wholeSeconds(CONNECTOR_LIMITS.delay, 'a week'), 0, CONNECTOR_LIMITS.delays);
const longestWait = wholeSeconds(CONNECTOR_LIMITS.timeout, `${CONNECTOR_LIMITS.timeout}s`);

const shape = record('connector', {
  name: describeKey('Name of the connector.', 'forward', cloudName),
  script: optional(
    describeKey(
      'JavaScript with a function `main(job)`; or use `file`.',
      'function main(job) { return { url: job.variables.url } }',
      text(),
    ),
  ),
  file: optional(describeKey('File with the script, relative to the scenario.', 'forward.js', text())),
  tags: optional(describeKey('Tags of the devices whose messages it forwards.', ['cold-store'], list(cloudName)), []),
  triggers: optional(
    describeKey(
      'Types of messages that it forwards. Default: data.',
      ['data', 'session'],
      list(oneOf(['data', 'session', 'config', 'stats', 'codec']), 1),
    ),
    ['data'] as const,
  ),
  direction: optional(
    describeKey('Messages from devices (`up`, the default) or to them.', 'up', oneOf(['up', 'down'])),
    'up' as const,
  ),
  'retry-delays': optional(
    describeKey('Pauses before further attempts. Default: those of the service.', ['30s', '5m'], delays),
    null,
  ),
  timeout: optional(describeKey('Longest wait for an answer. Default: that of the service.', '10s', longestWait), null),
});

/** A connector forwards messages of the devices that share a tag with it. */
export const connector: SetupKind<ConnectorOptions> = {
  about: 'a connector, with its script in the scenario or in a file',
  example:
    'connector: { name: forward, tags: [cold-store], script: "function main(job) { return { url: job.variables.url, data: job.message.body } }" }',
  form: () => formOf(shape),
  check: (node, problems, scope) => {
    const read = shape(node, problems);
    if (read === undefined) return undefined;
    const { script: inline, file, 'retry-delays': retryDelays, ...rest } = read;
    const script = scriptOf(inline, file, node, problems, scope);
    return script === undefined ? undefined : { ...rest, script, retryDelays };
  },
  describe: ({ name, direction, triggers, tags }) =>
    `"${name}", ${direction}, ${triggers.join(', ')} of ${tags.length === 0 ? 'no device: it has no tags' : tags.join(', ')}`,
  run: async (world, { name, script, tags, triggers, direction, retryDelays, timeout }) => {
    const refs: { readonly id: string }[] = [];
    for (const tag of tags) refs.push({ id: await world.tagId(tag) });
    const made = { what: `connector "${name}"`, path: '/connectors/{id}', by: { name } };
    await world.create(made, () =>
      world.api.createConnector({
        name,
        transformation: script,
        tags: refs,
        triggers,
        direction,
        ...(retryDelays !== null && { retry_delays: retryDelays }),
        ...(timeout !== null && { timeout }),
      }),
    );
  },
};

function scriptOf(
  inline: string | undefined,
  file: string | undefined,
  node: LocatedNode,
  problems: Problems,
  scope: SetupScope,
): string | undefined {
  if ((inline === undefined) === (file === undefined)) {
    problems.add(node, 'connector needs either "script" or "file"');
    return undefined;
  }
  const script = file === undefined ? inline : readFileOf(file, node, problems, scope)?.text;
  if (script === undefined || isScript(script)) return script;
  const reason = `the script has the character U+0000, or more than ${LONGEST_SCRIPT} characters, which the cloud rejects`;
  problems.add(valueAt(node, file === undefined ? 'script' : 'file'), reason);
  return undefined;
}
