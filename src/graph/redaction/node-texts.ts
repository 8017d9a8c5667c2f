import type { NodeDefinition } from '../definition/definition.ts';
import { fieldAt } from '../definition/names-at.ts';
import { describeNode, fieldsOf, fieldsOfKind } from '../definition/node-types/describe-node.ts';
import type { NodeDescription } from '../definition/node-types/node-description.ts';
import { NODE_NAMES, RESULT_NAMES, parseExpression } from '../expression/expression.ts';
import type { Expression, Name } from '../expression/expression.ts';
import { isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { parseFilled } from './filled.ts';
import type { Filled } from './filled.ts';

/** The parts of a node that may hold expressions, and the channels that it names. */
export interface NodeTexts {
  readonly description: NodeDescription;
  /** Fields that are filled before its work, by name. */
  readonly fields: Texts;
  /** Fields that are filled with its result, too. */
  readonly laterFields: Texts;
  /** The channel that takes the whole result. */
  readonly resultTo: string | null;
  /** What it writes, by channel. */
  readonly writes: Texts;
  /** What it writes after a failure. */
  readonly errorWrites: Texts;
  /** Conditions over the arguments of its calls. */
  readonly rules: readonly Expression[];
  /** Channels whose messages it reads and continues, by the fields that name them. */
  readonly conversations: ReadonlyMap<string, string>;
}

/** Templates by name; `null`: nothing is filled in it. */
export type Texts = ReadonlyMap<string, Filled | null>;

/** Parses the texts of a valid node. */
export function readNodeTexts(node: NodeDefinition): NodeTexts {
  const fields = fieldsOf(node);
  const description = describeNode(fields);
  const { templates, resultTemplates = [] } = description;
  const { write, onError } = fields;
  return {
    description,
    fields: readTexts(pick(fields, templates), NODE_NAMES),
    laterFields: readTexts(pick(fields, resultTemplates), RESULT_NAMES),
    resultTo: typeof write === 'string' ? write : null,
    writes: readTexts(write, RESULT_NAMES),
    errorWrites: readTexts(isJsonObject(onError) ? onError['write'] : undefined, ERROR_NAMES),
    rules: readRules(fields, description),
    conversations: readConversations(fields),
  };
}

/** Returns the channels that a node writes by its definition. */
export function channelsWrittenBy({ resultTo, writes, errorWrites, conversations }: NodeTexts): readonly string[] {
  return [...(resultTo === null ? [] : [resultTo]), ...writes.keys(), ...errorWrites.keys(), ...conversations.values()];
}

const ERROR_NAMES: readonly Name[] = [...NODE_NAMES, 'error'];
/** Rules that are no expressions. */
const WORDS: ReadonlySet<string> = new Set(['always', 'never']);
const RULE_NAMES: readonly Name[] = [...NODE_NAMES, 'args'];

function pick(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, fieldAt(fields, name) ?? null]));
}

function readTexts(values: Json | undefined, names: readonly Name[]): Texts {
  if (!isJsonObject(values)) return new Map();
  return new Map(Object.entries(values).map(([name, value]) => [name, parseFilled(value, names)]));
}

function readConversations(fields: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    fieldsOfKind('conversations').flatMap((field) => {
      const channel = fields[field];
      return typeof channel === 'string' ? [[field, channel] as const] : [];
    }),
  );
}

function readRules(fields: JsonObject, { approvals }: NodeDescription): readonly Expression[] {
  const rules = approvals ? fields[approvals.rules] : undefined;
  if (!isJsonObject(rules)) return [];
  return Object.values(rules).flatMap((rule) =>
    typeof rule === 'string' && !WORDS.has(rule) ? [parseExpression(rule, RULE_NAMES)] : [],
  );
}
