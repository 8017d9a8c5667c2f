import type { JsonObject } from '../../values/json.ts';

/**
 * The facts about a node type that shared code reads instead of the type: validation, the JSON Schema document,
 * diagrams, pinning and compilation. Field names refer to the top level of a node.
 */
export interface NodeDescription<Field extends string = string> {
  /** Fields whose texts may hold `{{ cel }}` over `state`, `run`, `item` and `index`. */
  readonly templates: readonly Field[];
  /** Like `templates`, but their expressions also see `result`. */
  readonly resultTemplates?: readonly FieldPath<Field>[];
  /**
   * The members of the result that may contain values of the node's fields, each with the fields that they may come
   * from. If absent, the whole result may contain values of any template.
   */
  readonly carries?: Readonly<Record<string, readonly Field[]>>;
  /** The fields whose filled values are visible to people: in events, in approvals, and in what a run waits for. */
  readonly visible?: VisibleFields<Field>;
  readonly uses?: CatalogUses<Field>;
  /** The graph that runs inside the node. */
  readonly graph?: InnerGraphFields<Field>;
  /** The approval rules of the tools that the node may call: CEL, `always` or `never`. */
  readonly approvals?: ApprovalRuleFields<Field>;
  /** The field of an approval node that names the reaction to a rejection; `fail` ends the run. */
  readonly onReject?: Field;
  /** The field with the tools that the node's model may request; another node makes these calls. */
  readonly requestsTools?: Field;
  /** The code that the node itself calls; its `execution` applies to these calls. */
  readonly calls?: CalledCode<Field>;
  /**
   * The channel whose messages request the calls that the node makes, and the field with the tools that it may call.
   */
  readonly makesCalls?: { readonly channel: Field; readonly tools: Field };
  /**
   * True if the node waits for people, time or an event, which give its result. It can't be the last node of a canceled
   * run.
   */
  readonly mayWait?: true;
  /** The node has no result: it is always null. */
  readonly hasNoResult?: true;
  /** The result is a decision, in which values and arguments may be absent. */
  readonly isDecision?: true;
  /** True if the engine enforces the node's own `deadline`. In other nodes, `deadline` limits the calls. */
  readonly hasOwnDeadline?: true;
  /** Fields with the name of a tool and with the arguments that the node gives it. */
  readonly givesArgs?: readonly ArgumentFields<Field>[];
  readonly look: NodeLook<Field>;
}

/** The description of a node type of the language. */
export interface NodeTypeDescription<Field extends string = string> extends NodeDescription<Field> {
  /** A one-line description for editors. */
  readonly summary: string;
  /** Channels of messages that the node reads, or reads and writes. */
  readonly conversations?: readonly Field[];
  /** Fields that hold a JSON Schema. */
  readonly schemas?: readonly Field[];
  /** Fields with node ids that the node may go to, in addition to its edges. */
  readonly goto?: readonly Field[];
  /** A node must have exactly one of these fields. */
  readonly exactlyOne?: readonly Field[];
  /** Returns the problems of fields that are valid alone but not together. */
  readonly findProblems?: (fields: JsonObject) => readonly FieldProblem[];
  /** JSON Schemas for editors that are stricter than the shape. */
  readonly editorSchemas?: { readonly [F in Field]?: JsonObject };
}

/** A `NodeTypeDescription` that can name only these fields of a node type. */
export type DescriptionOf<Fields> = NodeTypeDescription<keyof Fields & string>;

/** A field, or a field inside it. */
type FieldPath<Field extends string> = Field | `${Field}/${string}`;

/**
 * Fields by where they are visible: the text of a question, the arguments of a call or members of them, an event, a
 * time, the namespace of memory.
 */
export type VisibleFields<Field extends string = string> = {
  readonly [Use in 'words' | 'args' | 'members' | 'event' | 'time' | 'memory']?: readonly FieldPath<Field>[];
};

/** Fields that name entries of the catalog: one name or a list of names. */
interface CatalogUses<Field extends string> {
  readonly tools?: readonly FieldPath<Field>[];
  /** A node without any of these uses the model of its graph's defaults, or the one named `default`. */
  readonly models?: readonly FieldPath<Field>[];
  readonly functions?: readonly FieldPath<Field>[];
  readonly messageProcessors?: readonly FieldPath<Field>[];
}

/** The fields with the name of a tool and the arguments of its call. */
export interface ArgumentFields<Field extends string = string> {
  /** The field with the name of a tool or function. */
  readonly callee: FieldPath<Field>;
  readonly of: 'tools' | 'functions';
  readonly args: FieldPath<Field>;
}

/** Fields that name tools or functions, or the code of the node's own type. */
type CalledCode<Field extends string> =
  | { readonly tools: readonly Field[] }
  | { readonly functions: readonly Field[] }
  | { readonly nodeType: true };

interface InnerGraphFields<Field extends string> {
  /** The field with the name of a published graph, or with a definition. */
  readonly definition: Field;
  /** The field with the values of its input channels. */
  readonly input: Field;
}

interface ApprovalRuleFields<Field extends string> {
  /** The field with an object of rules by tool name. */
  readonly rules: Field;
  readonly tools: Field;
}

/** The look of a node in diagrams. */
interface NodeLook<Field extends string> {
  readonly outline: Outline;
  /** Six hexadecimal digits. */
  readonly fill: string;
  /** The first of these fields that holds a text; it is drawn beside the type. */
  readonly subject?: readonly FieldPath<Field>[];
  /** Extra lines, each for a field that the node has. */
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
  /** `null` if a field is missing. */
  readonly field: string | null;
  readonly message: string;
  /** The code; `INVALID_FIELD` if absent. */
  readonly code?: 'INVALID_DURATION';
}
