import type { TokenUsage } from '../../graph/values/index.ts';
import { measure } from '../../telemetry/metrics/meter.ts';
import { GEN_AI } from '../../telemetry/traces/names.ts';
import { CallError } from '../calls/call-error.ts';
import type { Generate } from './model.ts';

/** A model as metrics name it. */
interface NamedModel {
  /** As OpenTelemetry calls it (`gen_ai.provider.name`). */
  readonly provider: string;
  readonly model: string;
}

/** Measures requests to a model: how long they take, when the first text comes, and the tokens. */
export function measuredModel(generate: Generate, { provider, model }: NamedModel): Generate {
  const labels = { [GEN_AI.operation]: 'chat', [GEN_AI.provider]: provider, [GEN_AI.requestModel]: model } as const;
  return async (request, context) => {
    const start = performance.now();
    const seconds = (): number => (performance.now() - start) / 1_000;
    let hasText = false;
    const emit = (text: string): void => {
      if (!hasText) measure('gen_ai.client.operation.time_to_first_chunk', seconds(), labels);
      hasText = true;
      context.emit(text);
    };
    const record = (error: string | undefined): void =>
      measure('gen_ai.client.operation.duration', seconds(), { ...labels, 'error.type': error });
    const count = ({ inputTokens, outputTokens }: TokenUsage): void => {
      measure('gen_ai.client.token.usage', inputTokens, { ...labels, 'gen_ai.token.type': 'input' });
      measure('gen_ai.client.token.usage', outputTokens, { ...labels, 'gen_ai.token.type': 'output' });
    };
    try {
      const reply = await generate(request, { ...context, emit });
      record(undefined);
      count(reply.usage);
      return reply;
    } catch (error) {
      if (error instanceof CallError && error.usage) count(error.usage);
      record(error instanceof CallError ? error.code : 'INTERNAL');
      throw error;
    }
  };
}
