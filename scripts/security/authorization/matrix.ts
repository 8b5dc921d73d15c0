/**
 * The authorization matrix: every operation of the OpenAPI document × every kind of credential × ids of own, unseen, foreign
 * and missing things. Each answer has the status of rules.ts and matches the document. Answers for foreign and for missing
 * things are the same. At the end, nothing in the foreign space has changed.
 */
import { type Document, inlined, type Judge, judge } from '../../../test/support/openapi.js';
import { type Answer, type Cloud, openCloud } from './cloud.js';
import { type Credential, credentialsOf } from './credentials.js';
import { bodyOf, namesThing, type Operation, operationsOf, pathOf } from './operations.js';
import { exists, expectedStatus, IDS, type IdKind } from './rules.js';
import { furnish, randomThings, renewed, type Things } from './things.js';

export interface MatrixVerdict {
  readonly operations: number;
  readonly credentials: number;
  /** Requests whose answers were checked. */
  readonly requests: number;
  readonly checks: number;
  readonly failures: readonly string[];
}

type Part = 'whole' | 'half' | 'sample';

/** One of so many combinations of operation and credential is tried. */
const STEPS: Readonly<Record<Part, number>> = { whole: 1, half: 2, sample: 8 };

/** Operations that delete, end, lock or occupy their thing, so that the next request needs a new thing. */
const CONSUMING = /^(delete|cancel|rotate|lock|createFirmwareUpdate)/;

/**
 * @param part `half`: tries every second combination of operation and credential, with one group of ids each, in turn;
 *   `sample`: every eighth combination
 */
export async function authorizationMatrix(part: Part): Promise<MatrixVerdict> {
  const matrix = new Matrix(await openCloud());
  return matrix.check(part);
}

/** Pairs of kinds of ids whose answers must be the same. */
const ALIKE: readonly (readonly [IdKind, IdKind])[] = [
  ['foreign', 'random'],
  ['mixed', 'missing'],
  ['unseen', 'missing'],
];

/** Kinds of ids that a sample tries together if the credential is valid: those whose answers must be the same. */
const GROUPS: readonly (readonly IdKind[])[] = [['own'], ...ALIKE];

class Matrix {
  readonly #cloud: Cloud;
  readonly #failures: string[] = [];
  #requests = 0;
  #checks = 0;

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
  }

  async check(part: Part): Promise<MatrixVerdict> {
    const cloud = this.#cloud;
    const own = await furnish(cloud, cloud.own);
    const credentials = await credentialsOf(cloud, own);
    const unseen = await furnish(cloud, cloud.own);
    const foreign = await furnish(cloud, cloud.foreign);
    const random = randomThings(cloud, foreign);
    const { space } = own;
    const things = { own, unseen, foreign, random, mixed: { ...foreign, space }, missing: { ...random, space } };
    const document = inlined(JSON.parse((await cloud.ask('GET', '/v2/documentation/json', {})).text) as Document);
    const operations = operationsOf(document);
    const fits = judge(document);
    const before = await this.#seen(operations, things);
    let turn = 0;
    for (const [c, credential] of credentials.entries()) {
      for (const [o, operation] of operations.entries()) {
        // With 2, every operation meets every second credential, and every credential every second operation.
        if ((c + o) % STEPS[part] > 0) continue;
        turn += 1;
        const all = IDS.filter((ids) => exists(operation, credential, ids));
        const likely = credential.right === null ? IDS.map((ids) => [ids]) : GROUPS;
        const groups = likely.filter((group) => group.every((ids) => all.includes(ids)));
        const used = part === 'whole' ? all : (groups[turn % groups.length] ?? []);
        await this.#combination(operation, credential, used, things, fits);
      }
    }
    const after = await this.#seen(operations, things);
    for (const [name, text] of before) {
      this.#checks += 1;
      if (after.get(name) !== text) this.#failures.push(`${name} has changed: ${text} | ${after.get(name)}`);
    }
    return {
      operations: operations.length,
      credentials: credentials.length,
      requests: this.#requests,
      checks: this.#checks,
      failures: this.#failures,
    };
  }

  /** One operation with one credential, on things of several kinds. */
  async #combination(
    operation: Operation,
    credential: Credential,
    kinds: readonly IdKind[],
    things: Readonly<Record<IdKind, Things>>,
    fits: Judge,
  ): Promise<void> {
    const answers = new Map<IdKind, string>();
    for (const ids of kinds) {
      const named = ids === 'own' ? await this.#ownThings(operation, credential) : things[ids];
      const answer = await this.#request(operation, credential, ids, named);
      const wrong = fits(operation.method, pathOf(operation, named), answer.status, answer.type, answer.text);
      this.#expect(wrong === undefined, operation, credential, ids, wrong ?? '');
      answers.set(ids, visiblePart(answer, named));
    }
    for (const [one, other] of ALIKE) {
      const [seen, like] = [answers.get(one), answers.get(other)];
      if (seen === undefined || like === undefined || seen.startsWith('200')) continue;
      this.#expect(seen === like, operation, credential, one, `differs from ${other}: ${seen} | ${like}`);
    }
  }

  /** Things that the credential sees; new things if the request would consume them. */
  async #ownThings(operation: Operation, credential: Credential): Promise<Things> {
    const { id, success, template } = operation;
    const { right, things } = credential;
    const [, collection = 'devices'] = /(\w+)\/\{id\}/.exec(template) ?? [];
    if (right === null || !CONSUMING.test(id) || expectedStatus(operation, credential, 'own') !== success)
      return things;
    if (id === 'deleteLogin') return { ...things, logins: (await credential.renew?.()) ?? '' };
    return renewed(this.#cloud, this.#cloud.own, things, collection);
  }

  async #request(operation: Operation, credential: Credential, ids: IdKind, named: Things): Promise<Answer> {
    const own = ids === 'own' ? named : credential.things;
    const body = bodyOf(operation, own, named);
    const answer = await this.#cloud.ask(operation.method, pathOf(operation, named), credential.headers(), body);
    this.#requests += 1;
    const expected = expectedStatus(operation, credential, ids);
    this.#expect(
      answer.status === expected,
      operation,
      credential,
      ids,
      `${answer.status} instead of ${expected}: ${answer.text}`,
    );
    if (operation.chapter === 'Accounts' && answer.status < 300 && operation.access !== 'anyone')
      await credential.renew?.();
    return answer;
  }

  #expect(isTrue: boolean, { method, template }: Operation, { name }: Credential, ids: IdKind, what: string): void {
    this.#checks += 1;
    if (!isTrue) this.#failures.push(`${method} ${template}, ${name}, ${ids}: ${what}`);
  }

  /** Everything in the foreign space, and the things that keys with tags do not see, read with keys without limits. */
  async #seen(operations: readonly Operation[], { foreign, unseen }: Readonly<Record<'foreign' | 'unseen', Things>>) {
    const found = new Map<string, string>();
    // The audit log is left out: it has the logins of members, including those to other spaces.
    const isRead = ({ id, method }: Operation) => method === 'GET' && id !== 'listAudit';
    const reads = operations.filter((each) => isRead(each) && each.template.includes('{space_id}'));
    const sides = [
      { side: 'foreign', things: foreign, home: this.#cloud.foreign, read: reads },
      { side: 'unseen', things: unseen, home: this.#cloud.own, read: reads.filter(namesThing) },
    ];
    for (const { side, things, home, read } of sides) {
      for (const operation of read) {
        const { status, text } = await this.#cloud.ask('GET', pathOf(operation, things), home.key);
        found.set(`${side} ${operation.template}`, `${status} ${text}`);
      }
    }
    return found;
  }
}

/** The answer without the ids that were sent. */
export function visiblePart({ status, text }: Pick<Answer, 'status' | 'text'>, things: Things): string {
  const { suffix: _, ...ids } = things;
  return Object.values(ids).reduce((kept, id) => kept.replaceAll(id, 'ID'), `${status} ${text}`);
}
