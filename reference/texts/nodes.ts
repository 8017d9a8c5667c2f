import type { NodeType } from '../../src/graph/definition/node-types/node-types.ts';
import type { RunErrorCode } from '../../src/graph/values/errors.ts';

interface NodeText {
  /** What the summary of the type leaves out. */
  readonly notes: readonly string[];
  /** The members of the result, and what they are; empty if the notes say it. */
  readonly result: Readonly<Record<string, string>>;
  /** Failures besides those of all nodes. */
  readonly failures: readonly RunErrorCode[];
}

const REPLY = {
  text: 'the text of the answer',
  object: 'the answer as a value, with `output`; else null',
  message: 'the answer as a chat message',
  finishReason:
    '`stop`, `tool-calls`, `length` (it is cut off) or `other`; see [how an answer ends](../models.md#how-an-answer-ends)',
  usage: '`inputTokens`, `outputTokens`',
  model: 'the configured name of the model that has answered',
};

const OF_CALLS: readonly RunErrorCode[] = ['TIMEOUT', 'PAYLOAD_TOO_LARGE'];
const OF_TOOLS: readonly RunErrorCode[] = [
  'TOOL_FAILED',
  'TOOL_NOT_FOUND',
  'INVALID_TOOL_ARGUMENTS',
  'UNKNOWN_OUTCOME',
  'APPROVAL_REJECTED',
  'APPROVAL_EXPIRED',
  'APPROVAL_REQUIRED',
  'BLOCKED_URL',
];

/** Failures that a node of any type may have. */
export const FAILURES_OF_ALL: readonly RunErrorCode[] = [
  'EXPRESSION_FAILED',
  'MAX_VISITS_EXCEEDED',
  'PAYLOAD_TOO_LARGE',
];

/** What the reference says of each node type, besides its fields. It compiles only if none is missing. */
export const NODE_TEXTS: Readonly<Record<NodeType, NodeText>> = {
  set: {
    notes: ['It has no result: `write` computes from `state`. It takes no time and calls nothing.'],
    result: {},
    failures: [],
  },
  llm: {
    notes: [
      'With a `messages` channel, the model is sent the conversation, and the reply is appended. With `prompt`, only the result is left.',
      'With `output`, the answer must fit the schema. One that does not is sent back twice to be corrected.',
      'The model may request `tools`, but this node calls none. A `tool` node with `calls` makes them, or take an `agent`.',
    ],
    result: { ...REPLY, toolCalls: 'the calls that the model requests: `id`, `name`, `args`' },
    failures: ['INVALID_CHOICE', 'MODEL_FAILED', 'OUTPUT_SCHEMA_VIOLATION', 'BUDGET_EXCEEDED', ...OF_CALLS],
  },
  agent: {
    notes: [
      'It asks the model, makes the calls that the model requests, tells it the answers, and so on. All calls of one turn run in parallel; each is durable by itself.',
      'A failed call does not fail the agent: the model reads the error. `onFailure` of a tool changes that.',
      'When `maxIterations` turns have called tools, the model is asked once more, without tools; `onMaxIterations` lets the node fail, or a person decide, instead.',
      '`retry` and `timeout` hold for each call; `deadline` bounds the whole agent, without the time in which people decide.',
      '`handoff` gives the model a tool for each node of the list, such as `handoff_to_billing`. It ends the agent, and the run continues at that node, not along the edges.',
      'More about it: [agents](../agents.md).',
    ],
    result: {
      ...REPLY,
      handoff: 'with `handoff`: `to` and `note` of a hand-off, or null',
      iterations: 'the number of turns in which the model could call tools',
      iterationsExhausted:
        'true if all `maxIterations` turns have called tools, so that the answer had to come without them',
    },
    failures: [
      'INVALID_CHOICE',
      'INVALID_TOOL_ARGUMENTS',
      'MODEL_FAILED',
      'OUTPUT_SCHEMA_VIOLATION',
      'BUDGET_EXCEEDED',
      'UNKNOWN_OUTCOME',
      ...OF_CALLS,
    ],
  },
  tool: {
    notes: [
      'With `tool`, the result is what the tool gives. With `calls`, an answer for each call is appended to the channel.',
      'If the tool asks for an approval, the node waits for it before the call, and calls with the arguments that were approved.',
      'With `mayGoto`, a tool that returns an object of `goto` and perhaps `reason` chooses nodes, in addition to the edges; anything else is its result.',
      '`compensate` undoes the call when the run fails or is canceled: the latest call first. A failure that `onError` handles undoes nothing.',
    ],
    result: {},
    failures: [...OF_TOOLS, 'BUDGET_EXCEEDED', ...OF_CALLS],
  },
  function: {
    notes: [
      'The result is what the function returns. A function that returns `{ update?, goto?, control?, reason? }` steers the run instead: ' +
        '`update` writes channels, `goto` runs nodes besides the edges, `control` is `"continue"`, `"pause"`, `"abort"` or `"replan"`.',
      'Functions are registered under `functions` in the [configuration](configuration.md), with `defineFunction` ([code in a graph](../code.md)). The code gets the arguments, and a context: ' +
        '`key` (the same in each attempt), `runId`, `tenantId`, `principal`, `attempt`, `signal` (aborts at the time-out or a cancellation) and `logger`.',
    ],
    result: {},
    failures: ['FUNCTION_FAILED', 'INVALID_GOTO', 'ABORTED', 'UNKNOWN_OUTCOME', ...OF_CALLS],
  },
  approval: {
    notes: [
      'The person approves or rejects, and may change `args` on approval. The result is there either way, so branch on `decision`.',
      'Read what was approved from the decision (`state.decision.args`), not from the channels that filled the question.',
      'More about it: [approvals](../approvals.md).',
    ],
    result: {
      decision: '`approved`, `rejected` or `expired`',
      args: 'the arguments that were decided; after a rejection or a timeout those of the question, if a rejection brings no others. Null if the node has none',
      by: 'the person who decided last; null after a timeout',
      reason: 'a text, or null',
      at: 'the time of the decision',
      values:
        'what `decisionSchema` asks for; null after a timeout, also where `onTimeout` approves, and after a rejection without values. In `write`, absent members of `values` and `args` read as null',
    },
    failures: ['INVALID_ARGS', 'APPROVAL_EXPIRED', 'APPROVAL_REJECTED'],
  },
  subgraph: {
    notes: [
      'The result is the output of the graph inside. It has channels of its own: only `input` goes in, only `write` brings something out.',
      'A name without a version is pinned to the newest version when the graph around is published.',
      'What is left of tokens, cost, tool calls and time is shared; `maxSteps` is each graph’s own. A failure inside is the failure of this node, with the same code.',
      'Its failure undoes nothing by itself: where `onError` goes on, finished calls inside with `compensate` stay done, and are undone with the others if the run fails or is canceled later.',
    ],
    result: {},
    failures: ['TIMEOUT', 'GRAPH_RECURSION_LIMIT'],
  },
  wait: {
    notes: [
      'The result is the payload of the event; null after a time or a timeout.',
      'An event that comes early is kept: each `wait` takes the oldest of its name. `POST /api/runs/{id}/signal` sends one.',
    ],
    result: {},
    failures: ['TIMEOUT', 'CHANNEL_SCHEMA_VIOLATION'],
  },
};
