import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CallReply, ModelReply } from '../../src/graph/run/effect.ts';
import type { Message, ToolCall } from '../../src/graph/definition/message.ts';
import type { Activities } from '../../src/activities/index.ts';
import { POLICY } from '../support/policy.ts';

/* The same agent written by hand for Temporal, with the same activities. */

const { callModel, callTool } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '30 seconds',
});

/** @returns the model's last answer */
export async function agent(prompt: string): Promise<string> {
  const messages: Message[] = [{ id: 'm0', role: 'user', content: prompt }];
  for (let turn = 0; ; turn++) {
    const { text, toolCalls } = await ask(messages, turn);
    if (toolCalls.length === 0) return text;
    const answers = await Promise.all(toolCalls.map((call, at) => use(call, `t${turn}.${at}`)));
    messages.push({ id: `a${turn}`, role: 'assistant', content: text, toolCalls }, ...answers);
  }
}

async function ask(messages: readonly Message[], turn: number): Promise<ModelReply> {
  const request = {
    kind: 'model',
    model: 'instant',
    system: 'Use the tool.',
    messages,
    tools: ['ping'],
    context: null,
    output: null,
    temperature: null,
    maxOutputTokens: null,
    policy: POLICY,
  } as const;
  const { reply } = await callModel({ ...task(`m${turn}`), request });
  if (reply.kind !== 'model') throw unexpected(reply);
  return reply;
}

async function use({ id, name, args }: ToolCall, key: string): Promise<Message> {
  const request = { kind: 'tool', tool: name, effect: 'keyed', args, policy: POLICY } as const;
  const { reply } = await callTool({ ...task(key), request });
  if (reply.kind !== 'value') throw unexpected(reply);
  return { id: key, role: 'tool', content: JSON.stringify(reply.value), toolCallId: id, name };
}

function task(name: string) {
  const { workflowId } = workflowInfo();
  const createdBy = { sub: 'bench', roles: ['user'] };
  return {
    key: `${workflowId}:${name}`,
    takeover: 0,
    node: 'work',
    runId: workflowId,
    tenantId: 'bench',
    graph: 'bench',
    createdBy,
    journal: null,
  };
}

function unexpected({ kind }: CallReply): TypeError {
  return new TypeError(`An answer of the kind ${kind}`);
}
