import type { JsonObject } from '../../values/json.ts';
import type { CallFields } from '../common-fields.ts';
import type { Execution } from '../call-policy.ts';
import type { NodeDescription } from './node-description.ts';

/** A node of a type that code registers. It has the common fields and those that its type defines. */
export interface CustomNodeDefinition extends CommonCustomFields {
  readonly [field: string]: unknown;
}

interface CommonCustomFields extends CallFields {
  readonly type: string;
  /** Where calls run: "activity", or "local" for short idempotent ones. */
  readonly execution?: Execution;
  /** Nodes that a command may go to, in addition to the edges. */
  readonly mayGoto?: readonly string[];
}

/** The fields that every custom node may have. */
const COMMON_FIELDS: Readonly<Record<keyof CommonCustomFields, true>> = {
  type: true,
  description: true,
  write: true,
  retry: true,
  timeout: true,
  deadline: true,
  onError: true,
  maxVisits: true,
  defer: true,
  execution: true,
  mayGoto: true,
};

/** Returns the fields of a custom node that its type defines. */
export function ownFields(node: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([name]) => !Object.hasOwn(COMMON_FIELDS, name)));
}

/** Describes a node of a type that code registers. Every field that its type defines may be a template. */
export function describeCustom(fields: JsonObject): NodeDescription {
  const own = Object.keys(ownFields(fields));
  return {
    templates: own,
    visible: { members: own },
    calls: { nodeType: true },
    look: { outline: 'cylinder', fill: 'EEEEEE' },
  };
}
