import type { ModelCallRequest } from '../graph/run/index.ts';
import { own } from '../graph/values/index.ts';
import { notConfigured } from './calls/call-error.ts';
import { fitMessages } from './context/fit-messages.ts';
import type { MessageProcessor } from './context/message-processor.ts';
import { UNKNOWN_MEASURE } from './context/model-measures.ts';
import type { ModelMeasure } from './context/model-measures.ts';
import type { Generate, ToolOffer } from './models/model.ts';
import type { CallKind } from './calls/make-attempt.ts';

/** Dependencies of model calls. */
export interface ModelDeps {
  readonly models: Readonly<Record<string, Generate>>;
  /** Descriptions of tools for models, by tool name. */
  readonly tools: Readonly<Record<string, ToolOffer>>;
  /** Token limits and counters by model name; a model without one is measured by an estimate. */
  readonly measures?: Readonly<Record<string, ModelMeasure>>;
  readonly messageProcessors?: Readonly<Record<string, MessageProcessor>>;
}

/** Makes calls of models. They are idempotent: a repeated call costs money and does no harm. */
export function modelCalls({
  models,
  tools,
  measures = {},
  messageProcessors = {},
}: ModelDeps): CallKind<ModelCallRequest> {
  return {
    safety: () => 'idempotent',
    async execute({ key, request }, signal) {
      const { kind: _kind, policy: _policy, context: _context, ...rest } = request;
      const generate = own(models, request.model);
      if (!generate) throw notConfigured('MODEL_FAILED', `model "${request.model}"`);
      const offers = rest.tools.flatMap((name) => own(tools, name) ?? []);
      const measure = own(measures, request.model) ?? UNKNOWN_MEASURE;
      const fitted = await fitMessages(request, { measure, processors: messageProcessors, tools: offers });
      if (fitted.kind === 'overflow') return fitted;
      const { messages, report } = fitted;
      const reply = await generate({ ...rest, messages, tools: offers }, { key, signal });
      return report ? { ...reply, context: report } : reply;
    },
  };
}
