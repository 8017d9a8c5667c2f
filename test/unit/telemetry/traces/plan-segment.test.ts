import { describe, expect, test } from 'vitest';
import type { RunEvent, RunEventBody } from '../../../../src/graph/journal/events.ts';
import { planSegment } from '../../../../src/telemetry/traces/plan-segment.ts';
import type { PlannedSegment, PlannedSpan } from '../../../../src/telemetry/traces/plan-segment.ts';
import { aTraceSegment } from '../../../support/builders/trace-segments.ts';

type Place = Partial<Pick<RunEvent, 'step' | 'path'>>;

/** Events a second apart. */
function toEvents(...bodies: readonly (RunEventBody & Place)[]): readonly RunEvent[] {
  return bodies.map((body, at) => ({ step: 0, ...body, seq: at + 1, at: new Date(at * 1_000).toISOString() }));
}

async function plan(
  events: readonly RunEvent[],
  segment = '1.1',
  told: Partial<PlannedSegment> = {},
): Promise<readonly PlannedSpan[]> {
  async function* read(): AsyncGenerator<RunEvent> {
    yield* events;
  }
  return await planSegment({ ...aTraceSegment({ segment }), ...told }, read());
}

/** Each span with the name of the one above it, and its seconds. */
function outline(spans: readonly PlannedSpan[]): readonly string[] {
  const nameOf = (id: string | null): string => spans.find(({ spanId }) => spanId === id)?.name ?? 'nothing';
  return spans.map(
    ({ name, parentId, startedAt, endedAt }) =>
      `${name} in ${nameOf(parentId)}: ${startedAt / 1_000} to ${endedAt / 1_000}`,
  );
}

const task = (node: string, visit = 1) => ({ node, visit });
const called = { attempts: 1, durationMs: 5, idempotencyKey: 'k' };

describe('the spans of a segment', () => {
  test('the spans of a run segment are the root, supersteps and their nodes', async () => {
    const spans = await plan(
      toEvents(
        { type: 'run.started', graph: 'refunds', by: 'ann' },
        { type: 'step.started', nodes: ['a', 'b'] },
        { type: 'node.started', ...task('a') },
        { type: 'node.started', ...task('b') },
        { type: 'node.completed', ...task('a'), update: {} },
        { type: 'node.completed', ...task('b'), update: {} },
        { type: 'checkpoint.saved', checkpoint: 'R1.c2', source: 'loop', next: [] },
        { type: 'run.completed', output: { secret: 'canary' } },
      ),
    );
    expect(outline(spans)).toEqual([
      'invoke_workflow refunds in nothing: 0 to 7',
      'holdfast.superstep in invoke_workflow refunds: 1 to 6',
      'holdfast.node a in holdfast.superstep: 2 to 4',
      'holdfast.node b in holdfast.superstep: 3 to 5',
    ]);
    expect(spans[0]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.conversation.id': 't1',
      'session.id': 't1',
      'holdfast.run.id': 'R1',
      'holdfast.run.status': 'completed',
    });
    expect(spans[1]?.attributes).toMatchObject({ 'holdfast.step': 0, 'holdfast.checkpoint': 'R1.c2' });
    expect(JSON.stringify(spans)).not.toContain('canary');
  });

  test('the same events of a run segment give the same spans', async () => {
    const events = toEvents({ type: 'step.started', nodes: ['a'] }, { type: 'node.started', ...task('a') });
    expect(await plan(events)).toEqual(await plan(events));
  });

  test('the spans of a run segment include the rest of a node that has waited', async () => {
    const decided = { approvalId: 'R1.a1', decision: 'approve', reason: null, status: 'approved', args: null } as const;
    const spans = await plan(
      toEvents(
        { type: 'approval.decided', ...task('ask'), ...decided, by: 'ann' },
        { type: 'node.completed', ...task('ask'), update: {} },
      ),
      '1.2',
    );
    expect(outline(spans)).toEqual([
      'invoke_workflow refunds in nothing: 0 to 1',
      'holdfast.superstep in invoke_workflow refunds: 0 to 1',
      'holdfast.node ask in holdfast.superstep: 0 to 1',
    ]);
  });

  test('the spans of a subgraph are below the span of its node', async () => {
    const inside = { path: ['outer'], step: 0 };
    const spans = await plan(
      toEvents(
        { type: 'step.started', nodes: ['outer'] },
        { type: 'node.started', ...task('outer') },
        { type: 'step.started', nodes: ['a'], ...inside },
        { type: 'node.started', ...task('a'), ...inside },
      ),
    );
    expect(outline(spans).slice(3)).toEqual([
      'holdfast.superstep in holdfast.node outer: 2 to 3',
      'holdfast.node a in holdfast.superstep: 3 to 3',
    ]);
  });

  test('the span of a failed node has the code of the failure, and no message', async () => {
    const error = { code: 'TOOL_FAILED', message: 'canary' } as const;
    const spans = await plan(
      toEvents(
        { type: 'node.started', ...task('a') },
        { type: 'node.failed', ...task('a'), error, attempts: 3 },
        { type: 'run.failed', error },
      ),
    );
    expect(spans.map(({ error: code }) => code)).toEqual(['TOOL_FAILED', null, 'TOOL_FAILED']);
    expect(spans[2]?.attributes['holdfast.attempts']).toBe(3);
    expect(JSON.stringify(spans)).not.toContain('canary');
  });

  test('the span of a model call has the cost of the model', async () => {
    const model = { type: 'model.called', ...task('a'), model: 'default', ...called } as const;
    const spans = await plan(toEvents({ ...model, costUsd: 0.25 }, { ...model, costUsd: 0.5 }));
    expect(spans.map(({ attributes }) => attributes['holdfast.usage.cost_usd'])).toEqual([0.75, undefined, 0.75]);
  });

  test('an agent’s span names its visit, with the tokens of its models', async () => {
    const usage = { inputTokens: 10, outputTokens: 3 };
    const [agent, model] = [task('agent'), { type: 'model.called', model: 'default', ...called, usage }] as const;
    const events = toEvents(
      { ...model, ...agent },
      { ...model, ...agent, error: { code: 'MODEL_FAILED', message: '' } },
      { ...model, ...task('llm') },
    );
    const [root, , span, other] = await plan(events, '1.1', { agents: ['agent'] });
    expect(span).toMatchObject({ name: 'invoke_agent agent', earlier: null });
    expect(span?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'agent',
      'gen_ai.agent.id': 'refunds/agent',
      'gen_ai.conversation.id': 't1',
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.output_tokens': 6,
      'holdfast.node': 'agent',
    });
    expect(other?.name).toBe('holdfast.node llm');
    expect(JSON.stringify([root, other])).not.toContain('gen_ai.usage');
  });

  test('an agent that has waited is linked to its span in an earlier segment', async () => {
    const inside = { ...task('think'), path: ['outer'] };
    const events = toEvents({ type: 'node.started', ...inside });
    const agents = ['outer/think'];
    const before = (await plan(events, '1.1', { agents })).find(({ name }) => name.startsWith('invoke_agent'));
    const resumed = [{ ...inside, toldIn: '1.1' }];
    const [, , after] = await plan(events, '1.3', { agents, resumed });
    expect(after?.earlier?.spanId).toBe(before?.spanId);
    expect(after?.earlier?.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(after?.spanId).not.toBe(before?.spanId);
  });

  test('a run segment has 2,000 spans at most besides the root, which records how many are missing', async () => {
    const many = Array.from({ length: 2_100 }, (_, visit) => ({ type: 'node.started', ...task('a', visit) }) as const);
    const spans = await plan(toEvents(...many));
    expect(spans).toHaveLength(2_001);
    expect(spans[0]?.attributes['holdfast.spans.left_out']).toBe(101);
  });
});
