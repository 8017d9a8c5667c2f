import type { EdgeKind } from '../definition/definition.ts';

/** The descriptions that editors and the reference show for each kind of edge. */
export const EDGE_DESCRIPTIONS: Readonly<Record<EdgeKind, string>> = {
  plain: 'Always leads to `to`. A list in `from` is a join: it waits until all of these nodes have finished.',
  branches: 'Leads to the first branch whose condition is true. A branch without `when` is the default.',
  route: 'Leads to the target that `paths` has for the value of `route`.',
  forEach:
    'Runs `to`, or the node that `route` chooses, once for each element of a list, in parallel. Each run has its own `item` and `index`.',
};

/** The descriptions of the fields around nodes, by object. The doc comments of the types have the same texts. */
export const GRAPH_FIELDS = {
  graph: {
    $schema: 'The address of the JSON Schema, for editors.',
    name: 'The name under which the graph is published: lower-case letters, digits and `-`.',
    description: 'A text for people.',
    channels: 'The state of a run: its channels, by name.',
    nodes: 'The nodes, by id.',
    edges: 'The edges between nodes. Each fires on its own.',
    input: 'The channels that may be set at the start of a run; all of them by default.',
    required: 'The input channels that every new run must be given, whatever their defaults.',
    output: "The channels that are its runs' output; all of them by default.",
    interruptBefore: 'Node ids, or `["*"]` for all: the run pauses before them.',
    interruptAfter: 'Node ids, or `["*"]` for all: the run pauses after them.',
    limits: 'The limits and budgets of a run.',
    defaults: 'Values for fields that its nodes do not set.',
    onCancel: 'The node that runs last when a run is canceled. Neither it nor a node inside it may wait.',
    onFail:
      'The node that runs last when a run fails, after its compensation. Neither it nor a node inside it may wait.',
  },
  channel: {
    reducer: 'How a write changes the value: a name, or an expression; `replace` by default.',
    default: 'The first value. Without it, the reducer says what the channel begins with.',
    schema: 'JSON Schema (2020-12) of the value.',
    ephemeral: 'True: the value can be read only in the superstep after its write, and is in no checkpoint.',
    redact: 'True: hides the value from people without the permission to see payloads.',
    roles: 'The roles of messages that the channel takes from outside; `user` alone by default.',
    description: 'A text for people.',
  },
  reducer: { expr: 'CEL over `current` and `update` that gives the new value.' },
  defaults: {
    model: 'The model of nodes that name none: a name, or several, each the fallback of the one before.',
    timeout: 'The time limit of one attempt of a call: "30s", "5m", "2h".',
    retry: 'The number of attempts of a call, and the time between them.',
  },
  retry: {
    maxAttempts: 'The number of attempts, the first one included; 5 by default.',
    initialInterval: 'The time before the second attempt; "1s" by default.',
    backoffCoefficient: 'The factor by which the time grows from attempt to attempt; 2 by default.',
    maxInterval: 'The longest time between two attempts; "60s" by default.',
    nonRetryable: 'Codes of failures after which there is no further attempt.',
  },
  plain: {
    from: 'A node id or `__start__`. A list is a join: it waits for all of them.',
    to: 'A node id, `__end__`, or several of them.',
  },
  branches: {
    from: 'A node id or `__start__`. A list is a join: it waits for all of them.',
    branches: 'The branches, in the order in which their conditions are tried.',
  },
  branch: {
    when: 'CEL over `state`: true if this branch is taken. Without it, the branch is the default.',
    to: 'A node id, `__end__`, or several of them.',
  },
  route: {
    from: 'A node id or `__start__`. A list is a join: it waits for all of them.',
    route: 'CEL that gives a text, or a list of texts for several targets at once.',
    paths: 'The target of each value.',
    default: 'The target of all other values. Without it, such a value fails the run.',
  },
  forEach: {
    from: 'A node id or `__start__`. A list is a join: it waits for all of them.',
    forEach: 'CEL that gives a list.',
    to: 'The node that runs once for each element.',
    route:
      'In place of `to`: CEL over `item` and `index` that gives the text, or texts, by which `paths` has the targets.',
    paths: 'With `route`: the targets of each value.',
    default: 'With `route`: the targets of all other values. Without it, such a value fails the run.',
    maxConcurrency: 'The number of elements that are worked on at a time; all of them by default.',
  },
} as const;

const COMMON = {
  description: 'A text for people.',
  write: 'A channel that takes the whole result, or a template for each channel, over `result` and `state`.',
  deadline:
    'The time limit of all attempts together, or of a graph inside. It stands still while only people are awaited.',
  onError: 'The node to continue with after a failure, or "intervene": a person decides. Absent: the run fails.',
  maxVisits: 'The maximum of visits of the node. One more visit is its failure.',
  defer: 'True: the node runs only when no other node is left to run.',
} as const;

const CALL = {
  ...COMMON,
  timeout: 'The time limit of one attempt: "30s", "5m", "2h".',
  retry: 'The number of attempts of a call, and the time between them.',
} as const;

const MODEL = {
  ...CALL,
  model:
    'A configured model, or several: each is the fallback of the one before. With `models`, a template that gives one of these, or a list of them.',
  models: 'The models among which a template as `model` chooses.',
  system: 'A template for the system prompt.',
  prompt: 'A template for the one message that the model is sent.',
  messages: 'A channel of chat messages for the model. Its reply is added there.',
  tools: 'The tools that the model may request: names, tools with fixed arguments, memory, or published graphs.',
  activeTools: 'A template that gives the names of those tools that the model may request now; absent: all of them.',
  output: "JSON Schema of the model's answer, which is `result.object` then.",
  context: 'How the messages are fitted into what the model takes.',
  temperature: 'Handed on to the model.',
  maxOutputTokens: 'The maximum of tokens of one answer.',
  toolChoice:
    'If the model may, must not or must request a tool, or which one. An agent is free again after its first calls.',
  reasoning: 'How long the model thinks before it answers.',
  providerOptions: 'Fields of providers, by provider. A model is sent those of its own provider.',
} as const;

const EXECUTION = 'Where calls run: "activity", or "local" for short idempotent ones.';
const MAY_GOTO_TEXT = 'Nodes that a command may go to, in addition to the edges.';
const ARGS = 'The arguments: templates, at any depth.';

/** The descriptions of the fields of nodes, by object. The doc comments of the types have the same texts. */
export const NODE_FIELDS = {
  set: COMMON,
  llm: MODEL,
  agent: {
    ...MODEL,
    maxIterations: 'The maximum of model turns that call tools; 5 by default.',
    onMaxIterations:
      'The reaction to `maxIterations` turns without an answer: "answer" (the model answers without tools; the default), "fail", or "intervene": a person decides.',
    approve:
      'By tool: "always", "never", or CEL over the call\'s `args`. It decides if a person must approve the call.',
    handoff: 'The nodes that the model may hand over to: a tool for each ends the agent, and the run continues there.',
  },
  tool: {
    ...CALL,
    tool: 'The name of the tool.',
    args: ARGS,
    calls: 'A channel of messages. The node makes the unanswered tool calls of its last assistant message.',
    tools: 'With `calls`: the tools that it may call. Absent: those of the `llm` node that alone writes the channel.',
    execution: EXECUTION,
    mayGoto: 'Nodes that the tool may go to by returning `{ goto }`, in addition to the edges.',
    compensate: "The call that compensates this node's call when the run fails or is canceled.",
  },
  memory: {
    memory: "A template for the namespace that the model's memory is confined to.",
    access: '"read" (by default) offers `memory_search`; "write" offers `memory_save` as well.',
  },
  graphTool: {
    graph: 'A published graph as a tool, `"name"` or `"name@3"`: the model gives its input, and is told its output.',
    as: 'The name of the tool. Absent: that of the graph.',
    description: 'What the model is told of the tool. Absent: the `description` of the graph.',
    args: 'Values of input channels that the model neither sees nor chooses: templates, at any depth.',
  },
  configuredTool: {
    tool: 'The name of a configured tool.',
    args: 'Arguments that the model neither sees nor chooses: templates, at any depth.',
    as: 'The name of the tool for the model, so that one tool can be there twice. Absent: its own name.',
    description: 'What the model is told of the tool. Absent: its own description.',
  },
  function: {
    ...CALL,
    function: 'The name of the function.',
    args: ARGS,
    execution: EXECUTION,
    mayGoto: MAY_GOTO_TEXT,
  },
  subgraph: {
    ...COMMON,
    graph: '`"name"`, `"name@3"`, or the definition itself.',
    input: 'Templates for the input channels of the graph inside.',
  },
  wait: {
    ...COMMON,
    for: 'A template for a duration: "30s", "5m", "2h", "7d".',
    until: 'A template for a time (RFC 3339).',
    event: 'A template for the name of an event.',
    timeout: 'With `event`: the time limit of the wait. The result is null then.',
  },
  approval: {
    ...COMMON,
    title: 'A template: the question to the person.',
    details: 'Templates, at any depth: facts for the person who decides.',
    args: 'Templates, at any depth: what is approved. The person may change it.',
    argsSchema:
      'JSON Schema of `args`: of those that are asked about, which fail the node if they break it, and of changed ones.',
    decisionSchema: 'JSON Schema of the values that a decision must bring.',
    policy: 'The people who may decide, and the number of approvals.',
    timeout: 'The time that people have to decide; "7d" by default.',
    onTimeout: 'What no decision in time means; "expire" by default. "fail" is the failure of the node.',
    onReject: '"continue" by default: the result says `rejected`. "fail" is the failure of the node.',
  },
  custom: { ...CALL, execution: EXECUTION, mayGoto: MAY_GOTO_TEXT },
  onError: {
    to: 'The node to continue with.',
    write: 'A template for each channel, over `error` and `state`.',
  },
  context: {
    maxTokens: 'The maximum of tokens of one request; what the model takes by default.',
    strategy: '"last", "summarize", or message processors in their order.',
  },
  compensate: {
    tool: 'The name of the tool that compensates.',
    args: 'Templates, at any depth, over the `result` of the compensated call and `state`.',
  },
  policy: {
    roles:
      'The roles of which a person needs one. Without roles and users, the permission `approval:decide` is enough.',
    users: 'The people who may decide, whatever their roles.',
    quorum: 'The number of approvals that are needed; 1 by default. One rejection decides.',
    excludeRequester: 'True: the person who started or changed the run may not decide.',
    requireReason: 'True: a decision needs a reason, in words.',
    reminders: 'The times after which webhooks are told of `approval.reminder`, unless it is decided.',
    escalate: 'Roles that may decide after some time; webhooks are told of `approval.escalated` then.',
  },
  escalation: {
    after: 'The time after which these roles may decide, too.',
    roles: 'The roles.',
  },
} as const;
