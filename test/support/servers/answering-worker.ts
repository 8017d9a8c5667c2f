import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { NativeConnection, Worker, bundleWorkflowCode } from '@temporalio/worker';
import type { CallOutcome, SentTask } from '../../../src/activities/calls/call-task.ts';
import type { Activities } from '../../../src/activities/index.ts';
import { choosePort, retryIfPortTaken } from '../../../src/dev/ports.ts';
import { startWithTeardown } from '../../../src/dev/teardown.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { provideTemporal } from '../../../src/dev/open-temporal.ts';
import { installTemporalRuntime } from '../../../src/dev/service.ts';
import { startTemporalServer } from '../../../src/dev/temporal-server.ts';
import type { TemporalServer } from '../../../src/dev/temporal-server.ts';
import type { JournalBatch } from '../../../src/graph/journal/batch.ts';
import type { CallRequest } from '../../../src/graph/run/effect.ts';
import { payloadConverterPath } from '../../../src/process/data-converter.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { toTemporalLogger } from '../../../src/process/temporal-logger.ts';
import { workflowCode } from '../../../src/workers/workflow-code.ts';
import { TASK_QUEUE } from '../../../src/workflows/contract.ts';
import { reply } from '../readers/shuffled-run.ts';

/**
 * The workflow with its own server and worker; the arguments of calls determine their answers, which a test releases.
 */
export interface AnsweringWorker {
  readonly temporal: Client;
  /** The calls and batches received from a workflow. */
  readonly receivedOf: (workflowId: string) => ReceivedCalls;
  stop(): Promise<void>;
}

export interface ReceivedCalls {
  /** Every call that was made, in order. */
  readonly calls: readonly Pick<SentTask, 'key' | 'takeover' | 'node' | 'request'>[];
  /** The batches to write. */
  readonly batches: readonly JournalBatch[];
  /** The open calls by key; a released call is removed. */
  readonly out: Map<string, () => void>;
}

interface OpenReceivedCalls extends ReceivedCalls {
  readonly calls: Pick<SentTask, 'key' | 'takeover' | 'node' | 'request'>[];
  readonly batches: JournalBatch[];
}

export async function startAnsweringWorker(): Promise<AnsweringWorker> {
  return await startWithTeardown(start);
}

async function start(teardown: Teardown): Promise<AnsweringWorker> {
  const logger = createLogger('fatal');
  await installTemporalRuntime(logger);
  const server = await retryIfPortTaken(startServer);
  teardown.add(() => server.stop());
  const connection = await Connection.connect({ address: server.address });
  teardown.add(() => connection.close());
  const native = await NativeConnection.connect({ address: server.address });
  teardown.add(() => native.close());
  const received = new Map<string, OpenReceivedCalls>();
  const receivedOf = (workflowId: string): OpenReceivedCalls => {
    const ofWorkflow = received.get(workflowId) ?? { calls: [], batches: [], out: new Map() };
    received.set(workflowId, ofWorkflow);
    return ofWorkflow;
  };
  const codePath = process.env['HOLDFAST_WORKFLOW_BUNDLE'];
  const options = {
    connection: native,
    activities: answeringActivities(receivedOf),
    dataConverter: { payloadConverterPath },
  };
  const worker = await Worker.create({
    ...options,
    taskQueue: TASK_QUEUE,
    workflowBundle: codePath
      ? { codePath }
      : await bundleWorkflowCode({ ...workflowCode, logger: toTemporalLogger(logger) }),
  });
  const running = worker.run();
  teardown.add(async () => {
    for (const { out } of received.values()) for (const answer of out.values()) answer();
    worker.shutdown();
    await running;
  });
  const temporal = new Client({ connection, dataConverter: { payloadConverterPath } });
  return { temporal, receivedOf, stop: () => teardown.run() };
}

async function startServer(): Promise<TemporalServer> {
  return await startTemporalServer({
    executable: await provideTemporal(process.env, (line) => process.stderr.write(`${line}\n`)),
    port: await choosePort('Temporal', 0, 7233),
    uiPort: await choosePort('the Temporal Web UI', 0, 8233),
    // By default an execution that continues another one begins at least a second after it.
    settings: ['history.workflowIdReuseMinimalInterval="0s"'],
  });
}

function answeringActivities(receivedOf: (workflowId: string) => OpenReceivedCalls): Activities {
  const current = (): OpenReceivedCalls => receivedOf(Context.current().info.workflowExecution?.workflowId ?? '');
  const call = async (task: SentTask, journal?: JournalBatch | null): Promise<CallOutcome> => {
    const { key, takeover, node, request } = task;
    const { batches, calls, out } = current();
    if (journal) batches.push(journal);
    calls.push({ key, takeover, node, request });
    await new Promise<void>((resolve) => void out.set(key, resolve));
    return outcomeOf(key, request);
  };
  return {
    callModel: call,
    callTool: call,
    callFunction: call,
    callNode: call,
    readArguments: call,
    callLocally: async () => {
      throw new TypeError('A call that a test answers is made by an activity');
    },
    reconcileCall: async () => {
      throw new TypeError('Every call is answered');
    },
    recordFire: async () => {
      throw new TypeError('Runs have no schedules here');
    },
    record: async (_entry, journal) => void current().batches.push(journal),
  };
}

function outcomeOf(key: string, request: CallRequest): CallOutcome {
  const returned = reply({ key, request });
  if (returned.kind === 'call.completed') return returned;
  const { failure } = returned;
  throw ApplicationFailure.create({
    type: failure.error.code,
    message: failure.error.message,
    details: [failure],
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
  });
}
