import { calleeOf } from '../../graph/run/index.ts';
import type { CallReply, CallRequest } from '../../graph/run/index.ts';
import { measure } from '../../telemetry/metrics/meter.ts';
import { CallError } from './call-error.ts';

/** Makes an attempt of a call and measures how long it takes. Requests to models are measured by what asks them, too. */
export async function measuredAttempt(request: CallRequest, make: () => Promise<CallReply>): Promise<CallReply> {
  const start = performance.now();
  const { kind, name } = calleeOf(request);
  const record = (error: string | undefined): void => {
    const seconds = (performance.now() - start) / 1_000;
    const outcome = error === undefined ? 'completed' : 'failed';
    measure('holdfast.call.duration', seconds, { kind, called: name, outcome });
    if (kind === 'model' || kind === 'reading') return;
    measure('gen_ai.execute_tool.duration', seconds, { 'gen_ai.tool.name': name, 'error.type': error });
  };
  try {
    const reply = await make();
    record(undefined);
    return reply;
  } catch (error) {
    record(error instanceof CallError ? error.code : 'INTERNAL');
    throw error;
  }
}
