/**
 * Codec documents in a profile, in the vendor's YAML: a schema is a list of one-key maps, so a published codec file can be
 * pasted unchanged (wire W-61). The profile also has the published hash of the document, which must match it.
 */
import { type Check, complain, type Form, formed, formOf, list, oneOf, record, refine, text } from '../input/checks.js';
import type { LocatedNode, Problems } from '../input/document.js';
import {
  type Codec,
  type CodecDocument,
  type CodecEntry,
  CodecError,
  type CodecValue,
  compileCodec,
} from '../protocol/codec.js';
import type { Hash } from '../protocol/hashes.js';
import { anything } from './checks.js';

/** Reads `decoder` or `encoder`: the expected `hash` and the `document`. */
export function expectCodec(type: CodecDocument['type']): Check<Codec> {
  const documents = expectCodecDocument(type);
  // The located nodes are kept, because a problem with the hash needs its position and the compiled document.
  const shape = { hash: formed(() => formOf(hash), anything), document: formed(() => formOf(documents), anything) };
  return refine(record(`the ${type}`, shape), (read, _node, problems) => {
    const expected = hash(read.hash, problems);
    const document = documents(read.document, problems);
    const compiled = document && compile(document, read.document, problems);
    if (compiled && expected && compiled.hash !== expected) {
      complain(read.hash, problems, `the hash of this document, which is "${compiled.hash}"`);
    }
    return compiled;
  });
}

const hash: Check<Hash> = formed(
  () => ({ type: ['string', 'number'], pattern: HASH.source }),
  (node, problems) =>
    // The text as written, because digits alone are a number for YAML.
    node.kind === 'scalar' && HASH.test(node.source)
      ? node.source
      : complain(node, problems, 'a codec hash: 16 lower-case hex digits'),
);

const HASH = /^[0-9a-f]{16}$/;

function expectCodecDocument(type: CodecDocument['type']): Check<CodecDocument> {
  const version: Check<2> = formed(
    () => ({ const: 2 }),
    (node, problems) => (node.kind === 'scalar' && node.value === 2 ? 2 : complain(node, problems, '2')),
  );
  return record(`the ${type} document`, { version, type: oneOf([type]), name: text(), schema: list(entry, 1) });
}

/** Fields nest, so their form is defined once, by name (profile/schema.ts). */
export const CODEC_ENTRY: Form = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: {
    anyOf: [
      { type: ['null', 'number', 'string'] },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/definitions/codecEntry' }] } },
    ],
  },
};

const entry: Check<CodecEntry> = formed(
  () => ({ $ref: '#/definitions/codecEntry' }),
  (node, problems) => {
    const [only, ...more] = node.kind === 'map' ? node.entries : [];
    if (only === undefined || more.length > 0) {
      return complain(node, problems, 'a field or modifier: a map of one name, such as "- temperature:"');
    }
    const value = codecValue(only[1].value, problems);
    return value === undefined ? undefined : { name: only[0], value };
  },
);

const codecValue: Check<CodecValue> = (node, problems) => {
  if (node.kind === 'scalar' && typeof node.value !== 'boolean') return node.value;
  if (node.kind === 'list' && node.items.length > 0 && node.items.every((item) => item.kind === 'scalar')) {
    return list(text())(node, problems);
  }
  if (node.kind === 'list') return list(entry)(node, problems);
  return complain(node, problems, 'empty, a number, a text or a list');
};

function compile(document: CodecDocument, node: LocatedNode, problems: Problems): Codec | undefined {
  try {
    return compileCodec(document);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    for (const problem of error.problems) problems.add(node, problem);
    return undefined;
  }
}
