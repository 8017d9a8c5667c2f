import type { JsonObject } from '../../values/json.ts';
import type { NodeOfType, NodeType } from '../definition.ts';
import type { ErrorIssueCode } from '../issue.ts';

/**
 * What the shared code of all node types reads of one: validation, the JSON Schema document, diagrams, pinning and
 * compilation look here instead of asking for the type. Fields are named at the top of a node.
 */
export interface NodeDescription<Field extends string = string> {
  /** Fields whose texts may hold `{{ cel }}` over `state`, `run`, `item` and `index`. */
  readonly templates: readonly Field[];
  /** As `templates`; their expressions see `result`, too. */
  readonly resultTemplates?: readonly FieldPath<Field>[];
  readonly uses?: CatalogUses<Field>;
  /** The graph that runs inside the node. */
  readonly graph?: GraphFields<Field>;
  /** CEL, `always` or `never` for each tool that the node may call. */
  readonly approvals?: ApprovalFields<Field>;
  /** The node is a question to people; the field says what a rejection does, and `fail` ends the run. */
  readonly onReject?: Field;
  /** The node waits for people, time or another graph, so that it can't end a canceled run. */
  readonly mayWait?: true;
  /** The engine watches over the node's `deadline`; that of other nodes bounds their calls. */
  readonly hasOwnDeadline?: true;
  readonly look: NodeLook<Field>;
}

/** The description of a node type of the language. */
export interface NodeTypeDescription<Field extends string = string> extends NodeDescription<Field> {
  /** One line for editors. */
  readonly summary: string;
  /** Channels of messages that the node reads, or reads and writes. */
  readonly conversations?: readonly Field[];
  /** Fields that hold a JSON Schema. */
  readonly schemas?: readonly Field[];
  /** Node ids that the node may send the run to besides its edges. */
  readonly goto?: readonly Field[];
  /** A node has exactly one of these fields. */
  readonly exactlyOne?: readonly Field[];
  /** Problems of fields that are each of the right shape, and do not go together. */
  readonly findProblems?: (fields: JsonObject) => readonly FieldProblem[];
  /** JSON Schema for editors, of fields that the shape leaves too open. */
  readonly editorSchemas?: { readonly [F in Field]?: JsonObject };
}

/** As `NodeTypeDescription`, with the fields that nodes of the type have. */
export type DescriptionOf<T extends NodeType> = NodeTypeDescription<keyof NodeOfType<T> & string>;

/** A field, or a field inside it. */
type FieldPath<Field extends string> = Field | `${Field}/${string}`;

/** Fields that name what the installation configures: one name or a list of them. */
interface CatalogUses<Field extends string> {
  readonly tools?: readonly FieldPath<Field>[];
  /** Where it is given, the node may call any tool. */
  readonly anyTool?: Field;
  /** A node with no model in any of them uses that of its graph's defaults, or the one named `default`. */
  readonly models?: readonly FieldPath<Field>[];
  readonly functions?: readonly FieldPath<Field>[];
  readonly messageProcessors?: readonly FieldPath<Field>[];
}

interface GraphFields<Field extends string> {
  /** A published graph's name, or the definition. */
  readonly definition: Field;
  /** Its input channels. */
  readonly input: Field;
}

interface ApprovalFields<Field extends string> {
  /** An object by tool. */
  readonly rules: Field;
  readonly tools: Field;
}

/** How diagrams draw a node. */
interface NodeLook<Field extends string> {
  readonly outline: Outline;
  /** Six hexadecimal digits. */
  readonly fill: string;
  /** The first of these that is a text stands beside the type. */
  readonly subject?: readonly FieldPath<Field>[];
  /** Lines for fields that are given. */
  readonly notes?: readonly { readonly label: string; readonly field: FieldPath<Field> }[];
}

export type Outline =
  | 'rectangle'
  | 'rounded'
  | 'doubleCircle'
  | 'leaningRight'
  | 'leaningLeft'
  | 'hexagon'
  | 'flag'
  | 'doubleSided'
  | 'cylinder';

export interface FieldProblem {
  /** `null`: the node lacks a field. */
  readonly field: string | null;
  readonly message: string;
  /** `INVALID_FIELD` where it is absent. */
  readonly code?: ErrorIssueCode;
}
