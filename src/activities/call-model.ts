import type { ModelCallRequest } from '../graph/effect.ts';
import { own } from '../graph/json.ts';
import { CallError } from './call-error.ts';
import type { Generate } from './models/model.ts';
import type { CallKind } from './perform-call.ts';

/** One turn of a model. Asking again costs money and harms nothing. */
export function modelCalls(models: Readonly<Record<string, Generate>>): CallKind<ModelCallRequest> {
  return {
    called: ({ model }) => `model:${model}`,
    safety: () => 'idempotent',
    async execute({ request }, signal) {
      const generate = own(models, request.model);
      if (!generate)
        throw new CallError('MODEL_FAILED', `This worker has no model "${request.model}"`, {
          retryable: false,
          done: 'no',
        });
      return await generate(request, signal);
    },
  };
}
