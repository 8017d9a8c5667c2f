import type { RunEventBody } from '../../src/graph/journal/events.ts';

type EventType = RunEventBody['type'];

/** The fields that the event's own type adds. */
type OwnField<Type extends EventType> = Exclude<
  keyof Extract<RunEventBody, { type: Type }> & string,
  'type' | 'node' | 'visit' | 'index'
>;

interface EventText<Field extends string> {
  readonly group: 'run' | 'node' | 'call' | 'person' | 'compensation';
  /** The time of the event, in one sentence. */
  readonly when: string;
  readonly fields: Readonly<Record<Field, string>>;
}

const BY = 'the person: `sub` of a token, or of a signal';
const KEY = 'the idempotency key of the call';
const ERROR = '`code`, `message`, and the `cause` if there is one';
const ATTEMPTS = 'the number of attempts that were made';
const DURATION =
  'milliseconds: those of the attempt that has succeeded; of a failed call all since it was requested, with its attempts and the pauses between them';
const TOOL = 'the name of the tool';

/** Every event of a history. It compiles only if no event and no field is missing. */
export const EVENTS: { readonly [Type in EventType]: EventText<OwnField<Type>> } = {
  'run.started': {
    group: 'run',
    when: 'The run begins.',
    fields: {
      graph: '`name`, `version`, `hash`',
      by: BY,
      parent: 'of a fork: `runId` and `checkpoint` that it begins at',
    },
  },
  'step.started': { group: 'run', when: 'A superstep begins.', fields: { nodes: 'the nodes that run in it' } },
  'checkpoint.saved': {
    group: 'run',
    when: 'The state was saved: after a superstep, an input, an edit, or when a fork began.',
    fields: {
      checkpoint: 'its id, for `GET /api/runs/{id}/state` and for forks',
      source: '`input`, `loop`, `update` or `fork`',
      next: 'the nodes that run next',
    },
  },
  'run.paused': {
    group: 'run',
    when: 'The run stops at a breakpoint, or because a person or a function wants it.',
    fields: { reason: 'a text, or null', nodes: 'the nodes that it stops at', by: BY },
  },
  'run.resumed': { group: 'person', when: 'A person lets the run go on.', fields: { by: BY } },
  'run.retried': {
    group: 'person',
    when: 'A person does a failed node again (`node`), or lets a failed run go on.',
    fields: { by: BY },
  },
  'run.completed': {
    group: 'run',
    when: 'The run has ended well.',
    fields: { output: 'the values of the output channels' },
  },
  'run.failed': {
    group: 'run',
    when: 'The run has failed.',
    fields: { error: `${ERROR}; the \`node\` at which it failed` },
  },
  'run.canceled': { group: 'run', when: 'The run was canceled.', fields: { by: BY, reason: 'a text, or null' } },
  'node.started': { group: 'node', when: 'A node begins its work.', fields: {} },
  'node.completed': {
    group: 'node',
    when: 'A node has finished. Its writes count at the end of the superstep.',
    fields: { update: 'what it writes, by channel' },
  },
  'node.failed': {
    group: 'node',
    when: 'A node has failed for good; `onError` counts now.',
    fields: { error: ERROR, attempts: ATTEMPTS, by: 'the person who gave it up, if one did' },
  },
  'node.skipped': {
    group: 'person',
    when: 'A person puts an output in place of a failed node.',
    fields: { update: 'what it writes, by channel', by: BY },
  },
  'model.called': {
    group: 'call',
    when: 'A call of a model has ended.',
    fields: {
      model: 'the configured name',
      usage: '`inputTokens`, `outputTokens`',
      costUsd: 'the cost, if the model has a `price`',
      finishReason: 'the reason why the answer ends, such as `stop` or `tool-calls`',
      toolCalls: 'the number of tool calls that the answer asks for',
      context: '`tokens` and `maxTokens` of the request, and how many messages were `dropped`',
      error: ERROR,
      attempts: ATTEMPTS,
      durationMs: DURATION,
      idempotencyKey: KEY,
    },
  },
  'function.requested': {
    group: 'call',
    when: 'A function, or the code of a node type, is called.',
    fields: {
      function: 'the name of the function',
      nodeType: 'of a node of a registered type: its type',
      args: 'the arguments; the fields of a node of a registered type',
      idempotencyKey: KEY,
    },
  },
  'function.called': {
    group: 'call',
    when: 'That call has ended.',
    fields: {
      function: 'the name of the function',
      nodeType: 'of a node of a registered type: its type',
      result: 'what it has returned',
      error: ERROR,
      attempts: ATTEMPTS,
      durationMs: DURATION,
      idempotencyKey: KEY,
      local: 'true: the worker of the workflow task has made it itself',
    },
  },
  'tool.requested': {
    group: 'call',
    when: 'A call of a tool is about to be made.',
    fields: { tool: TOOL, args: 'its arguments', idempotencyKey: KEY },
  },
  'tool.called': {
    group: 'call',
    when: 'A call of a tool has ended.',
    fields: {
      tool: TOOL,
      result: 'what it gave',
      error: ERROR,
      attempts: ATTEMPTS,
      durationMs: DURATION,
      idempotencyKey: KEY,
      local: 'true if no activity made the call',
    },
  },
  'tool.skipped': {
    group: 'person',
    when: "A person puts an answer in place of an agent's call.",
    fields: { tool: TOOL, result: 'the answer', by: BY },
  },
  'approval.requested': {
    group: 'node',
    when: 'The run waits for people.',
    fields: { approval: 'the approval, as `GET /api/approvals/{id}` shows it' },
  },
  'approval.decided': {
    group: 'person',
    when: 'A person decides.',
    fields: {
      approvalId: 'the approval',
      decision: '`approve` or `reject`',
      reason: 'a text, or null',
      status: 'the status of the approval from now on; `pending` until a quorum is reached',
      args: 'the arguments that were decided',
      by: BY,
    },
  },
  'approval.reassigned': {
    group: 'person',
    when: 'A person gives a pending approval to others.',
    fields: {
      approvalId: 'the approval',
      from: '`roles` and `users` who were to decide it',
      to: '`roles` and `users` who decide it now',
      by: BY,
    },
  },
  'approval.expired': {
    group: 'node',
    when: 'No decision came in time.',
    fields: {
      approvalId: 'the approval',
      status: '`expired`, or what `onTimeout` makes of it: `rejected`, `approved`',
      args: 'the arguments that were asked, if people had proposed others',
    },
  },
  'signal.received': {
    group: 'person',
    when: 'An event for a `wait` node came.',
    fields: { event: 'its name', by: BY },
  },
  'signal.ignored': {
    group: 'person',
    when: 'A signal changed nothing. Nothing of it is kept.',
    fields: {
      signal: 'its name',
      reason: 'a word such as `not_allowed_now`',
      detail: 'the reason, in a sentence',
      by: BY,
    },
  },
  'state.updated': {
    group: 'person',
    when: 'A person corrects the state.',
    fields: { values: 'the values, by channel', asNode: 'the node whose edges count, if one was named', by: BY },
  },
  'compensation.requested': {
    group: 'compensation',
    when: 'A completed call is about to be undone.',
    fields: { tool: 'the tool that undoes it', args: 'its arguments', idempotencyKey: KEY },
  },
  'node.compensated': {
    group: 'compensation',
    when: 'A call was undone.',
    fields: {
      tool: 'the tool that undid it; null if a person says so',
      result: 'what it gave',
      by: 'the person, if one did',
    },
  },
  'compensation.failed': {
    group: 'compensation',
    when: 'A call was not undone.',
    fields: {
      tool: 'the tool that was to undo it, or null',
      error: ERROR,
      by: 'the person who gave it up, if one did',
    },
  },
};
