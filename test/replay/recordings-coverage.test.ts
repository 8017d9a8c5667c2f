import { describe, expect, test } from 'vitest';
import type { Activities } from '../../src/activities/index.ts';
import type { JournalBatch } from '../../src/graph/journal/batch.ts';
import type { RunEvent } from '../../src/graph/journal/events.ts';
import type { NodePosition } from '../../src/graph/run/scope.ts';
import { EdgeSchemas } from '../../src/graph/schema/graph-schema.ts';
import { NodeSchemas } from '../../src/graph/schema/node-schemas.ts';
import { signals } from '../../src/graph/signals/signals.ts';
import { isJsonObject, own } from '../../src/graph/values/json.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { UPGRADE } from '../../src/workflows/contract.ts';
import type { WorkflowInput } from '../../src/workflows/contract.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { payloadTexts, readRecordings, textsIn } from '../support/readers/recordings.ts';
import type { Recording } from '../support/readers/recordings.ts';

/*
 * What is in no recorded history is replayed by no test. A node type, event, signal, activity or edge that is added
 * makes these tests fail until a run of `recorded-runs.ts` uses it. The compiler demands the lines of the tables.
 */

const EVENTS: Readonly<Record<RunEvent['type'], true>> = {
  'approval.decided': true,
  'approval.expired': true,
  'approval.reassigned': true,
  'approval.requested': true,
  'checkpoint.saved': true,
  'compensation.failed': true,
  'compensation.requested': true,
  'function.called': true,
  'function.requested': true,
  'model.called': true,
  'node.compensated': true,
  'node.completed': true,
  'node.failed': true,
  'node.skipped': true,
  'node.started': true,
  'run.canceled': true,
  'run.completed': true,
  'run.failed': true,
  'run.paused': true,
  'run.resumed': true,
  'run.retried': true,
  'run.started': true,
  'signal.ignored': true,
  'signal.received': true,
  'state.updated': true,
  'step.started': true,
  'tool.called': true,
  'tool.requested': true,
  'tool.skipped': true,
};

const ACTIVITIES: Readonly<Record<keyof Activities, true>> = {
  callFunction: true,
  callLocally: true,
  callModel: true,
  callNode: true,
  callTool: true,
  readArguments: true,
  record: true,
  recordFire: true,
  reconcileCall: true,
};

const BEGINNINGS: Readonly<Record<WorkflowInput['begin']['kind'], true>> = {
  continue: true,
  fork: true,
  input: true,
  reopen: true,
};

/**
 * The positions of a task when its run continues as new; one that is `approved` waits for a call, so its run cannot. One
 * that is `failing` has filled its run, which no recording does.
 */
const POSITIONS: Readonly<Record<Exclude<NodePosition['kind'], 'approved' | 'failing'>, true>> = {
  agent: true,
  approval: true,
  call: true,
  calls: true,
  llm: true,
  reading: true,
  subgraph: true,
  wait: true,
};

/** What commands, and what comes from outside, leave in a history. */
const HISTORY_EVENTS = [
  'ACTIVITY_TASK_CANCEL_REQUESTED',
  'ACTIVITY_TASK_CANCELED',
  'ACTIVITY_TASK_COMPLETED',
  'ACTIVITY_TASK_FAILED',
  'TIMER_CANCELED',
  'TIMER_FIRED',
  'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
  'WORKFLOW_EXECUTION_CANCELED',
  'WORKFLOW_EXECUTION_CANCEL_REQUESTED',
  'WORKFLOW_EXECUTION_COMPLETED',
  'WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
  'WORKFLOW_EXECUTION_FAILED',
].map((name) => `EVENT_TYPE_${name}`);

const recordings = await readRecordings();
const histories = recordings.flatMap(({ executions }) =>
  executions.flatMap((execution) => listAt(execution, '/events')),
);
const documents = recordings.flatMap(documentsOf);
const inputs = documents.filter((document) => isJsonObject(document) && 'interpreterVersion' in document);

/** Every payload of a recording that is JSON. */
function documentsOf(recording: Recording): readonly Json[] {
  return textsIn(recording).flatMap((text) => {
    try {
      return [toJson(JSON.parse(text))];
    } catch {
      return [];
    }
  });
}

/** The run events that activities have carried into the store. */
function carriedEvents(): readonly { readonly runId: string; readonly event: RunEvent }[] {
  const inputs = histories.flatMap((event) => {
    const payloads = at(event, '/activityTaskScheduledEventAttributes/input/payloads');
    return payloads ? [payloadTexts(payloads)] : [];
  });
  return inputs.flatMap(([task = '', batch = 'null']) => {
    const journal: JournalBatch | null = JSON.parse(batch);
    const { runId } = JSON.parse(task);
    return (journal?.events ?? []).map((event) => ({ runId, event }));
  });
}

/** The type of the node that an event is about, by the definition that its run was started with; none of a published graph's. */
function nodeTypesOf(
  definitions: ReadonlyMap<string, Json>,
  runId: string,
  event: RunEvent & { node: string },
): readonly string[] {
  const graph = (event.path ?? []).reduce<Json>(
    (inside, node) => at(inside, `/nodes/${node}/graph`) ?? null,
    definitions.get(runId) ?? null,
  );
  const type = at(graph, `/nodes/${event.node}/type`);
  return typeof type === 'string' ? [type] : [];
}

function definitionsIn(definition: Json): readonly JsonObject[] {
  if (!isJsonObject(definition)) return [];
  const nodes = Object.values(own(definition, 'nodes') ?? {});
  return [definition, ...nodes.flatMap((node: Json) => definitionsIn(at(node, '/graph') ?? null))];
}

const events = carriedEvents();

describe('recorded histories', () => {
  test('the recorded histories include every node type', () => {
    const definitions = new Map(
      inputs.map((input) => [textAt(input, '/identity/id'), at(input, '/definition') ?? null]),
    );
    const types = events.flatMap(({ runId, event }) =>
      event.type === 'node.started' ? nodeTypesOf(definitions, runId, event) : [],
    );
    expect([...new Set(types)].toSorted()).toEqual([...Object.keys(NodeSchemas), 'threshold'].toSorted());
  });

  test('the recorded histories include every kind of edge', () => {
    const edges = inputs
      .flatMap((input) => definitionsIn(at(input, '/definition') ?? null))
      .flatMap((definition) => listAt(definition, '/edges'))
      .filter(isJsonObject);
    const isThere = (kind: string): boolean =>
      edges.some((edge) =>
        kind === 'plain' ? !('branches' in edge || 'route' in edge || 'forEach' in edge) : kind in edge,
      );
    expect(Object.keys(EdgeSchemas).filter((kind) => !isThere(kind))).toEqual([]);
  });

  test('the recorded histories include every event type', () => {
    expect(
      missing(
        Object.keys(EVENTS),
        events.map(({ event }) => event.type),
      ),
    ).toEqual([]);
  });

  test('the recorded histories include every signal', () => {
    const sent = histories.map((event) => at(event, '/workflowExecutionSignaledEventAttributes/signalName'));
    expect(missing([...signals.keys(), UPGRADE], sent)).toEqual([]);
  });

  test('the recorded histories include every activity', () => {
    const called = histories.map((event) => at(event, '/activityTaskScheduledEventAttributes/activityType/name'));
    expect(missing(Object.keys(ACTIVITIES), [...called, ...histories.map(localActivityIn)])).toEqual([]);
  });

  test('the recorded histories include every way to start a run', () => {
    expect(
      missing(
        Object.keys(BEGINNINGS),
        inputs.map((input) => at(input, '/begin/kind')),
      ),
    ).toEqual([]);
  });

  test('the recorded histories include a continue-as-new with tasks at every position', () => {
    const handedOver = inputs
      .filter((input) => at(input, '/begin/kind') === 'continue')
      .map((input) => JSON.stringify(input));
    const kinds = handedOver.flatMap((text) =>
      [...text.matchAll(/"position":\{"kind":"(\w+)"/g)].map(([, kind]) => kind),
    );
    expect(missing(Object.keys(POSITIONS), kinds)).toEqual([]);
  });

  test('the recorded histories include a continue-as-new with a graph that runs as a tool call', () => {
    const handedOver = inputs.filter((input) => at(input, '/begin/kind') === 'continue');
    expect(JSON.stringify(handedOver)).toContain('"phase":"inside"');
  });

  test('the recorded histories include every Temporal event that a run leads to', () => {
    expect(
      missing(
        HISTORY_EVENTS,
        histories.map((event) => at(event, '/eventType')),
      ),
    ).toEqual([]);
  });

  test('the recorded histories include payloads by reference', () => {
    expect(recordings.some(({ blobs }) => Object.keys(blobs).length > 0)).toBe(true);
  });
});

function missing(wanted: readonly string[], found: readonly unknown[]): readonly string[] {
  return wanted.filter((name) => !found.includes(name));
}

/** The type of the local activity that a marker records. */
function localActivityIn(event: Json): Json | undefined {
  const data = at(event, '/markerRecordedEventAttributes/details/data/payloads/0/data');
  if (typeof data !== 'string') return undefined;
  return at(toJson(JSON.parse(Buffer.from(data, 'base64').toString())), '/activity_type');
}
