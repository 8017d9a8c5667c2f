import { asksForSummary } from '../graph/run/index.ts';
import type { ModelCallRequest, ModelReply } from '../graph/run/index.ts';
import { own, toJson } from '../graph/values/index.ts';
import { CallError, notConfigured } from './calls/call-error.ts';
import { fitMessages } from './context/fit-messages.ts';
import type { MessageProcessor } from './context/message-processor.ts';
import { UNKNOWN_MEASURE } from './context/estimate-tokens.ts';
import type { ModelMeasure } from './context/estimate-tokens.ts';
import { openDeltas } from './open-deltas.ts';
import type { AttemptDeltas, PublishDeltas } from './open-deltas.ts';
import type { OpenPromptFiles } from './files/open-prompt-files.ts';
import type { Generate, ToolOffer } from './models/model.ts';
import type { CallTask } from './calls/call-task.ts';
import type { CallBehavior, MadeAttempt } from './calls/make-attempt.ts';

/** Dependencies of model calls. */
export interface ModelDeps {
  readonly models: Readonly<Record<string, Generate>>;
  /** Descriptions of tools for models, by tool name. */
  readonly tools: Readonly<Record<string, ToolOffer>>;
  /** Token limits and counters by model name; a model without one is measured by an estimate. */
  readonly measures?: Readonly<Record<string, ModelMeasure>>;
  readonly messageProcessors?: Readonly<Record<string, MessageProcessor>>;
  /** Publishes the text of a model while it is generated. */
  readonly publishDeltas?: PublishDeltas;
  /** Absent if files are not available. */
  readonly openFiles?: OpenPromptFiles;
}

const noFiles: OpenPromptFiles = () => async () => {
  throw notConfigured('MODEL_FAILED', 'files');
};

/** Makes calls of models. They are idempotent: a repeated call costs money but does no harm. */
export function modelCalls({
  models,
  tools,
  measures = {},
  messageProcessors = {},
  publishDeltas = () => undefined,
  openFiles = noFiles,
}: ModelDeps): CallBehavior<ModelCallRequest> {
  return {
    safety: () => 'idempotent',
    async execute(task, signal, made) {
      const { key, request, tenantId, createdBy: principal } = task;
      const { kind: _kind, policy: _policy, context: _context, offers: _offers, ...rest } = request;
      const generate = own(models, request.model);
      if (!generate) throw notConfigured('MODEL_FAILED', `model "${request.model}"`);
      const offers = toolOffersOf(request, tools);
      const measure = own(measures, request.model) ?? UNKNOWN_MEASURE;
      const fitted = await fitMessages(request, { measure, processors: messageProcessors, tools: offers });
      if (fitted.kind === 'overflow') return fitted;
      const { messages, report } = fitted;
      const deltas = openDeltasOfCall(task, made, publishDeltas);
      try {
        const sent = { ...rest, messages, tools: offers };
        made.keep?.(toJson({ ...rest, messages }));
        const readFile = openFiles({ tenantId, principal, signal });
        const reply = await generate(sent, {
          key,
          signal,
          readFile,
          emit: (text) => deltas?.add(text),
          isLastAttempt: made.attempt >= request.policy.retry.maxAttempts,
        });
        requireWholeCalls(reply, request);
        // Subscribers also receive the text of models that do not stream.
        if (!deltas?.hasText()) deltas?.add(reply.text);
        return report ? { ...reply, context: report } : reply;
      } finally {
        deltas?.close();
      }
    },
  };
}

function toolOffersOf(
  { tools, offers = {} }: ModelCallRequest,
  configured: Readonly<Record<string, ToolOffer>>,
): readonly ToolOffer[] {
  return tools.flatMap((name) => {
    const offer = own(offers, name);
    return offer ? { name, ...offer } : (own(configured, name) ?? []);
  });
}

/**
 * Refuses an answer that was cut off within its tool calls: the arguments of the last call are incomplete, and the
 * truncated ones may still match the schema.
 * @throws CallError with the usage of the answer. Another attempt would be cut off, too
 */
function requireWholeCalls(
  { finishReason, toolCalls, usage }: ModelReply,
  { tools, toolChoice }: ModelCallRequest,
): void {
  const mayAsk = tools.length > 0 && toolChoice !== 'none';
  if (!mayAsk || finishReason !== 'length' || toolCalls.length === 0) return;
  const message = 'The reply was cut off before its tool calls were complete; raise maxOutputTokens';
  throw new CallError('MODEL_FAILED', message, { retryable: false, done: 'perhaps', reason: 'truncated', usage });
}

/** @returns `null` for a call whose answer is not streamed to anyone */
function openDeltasOfCall(
  task: CallTask<ModelCallRequest>,
  made: MadeAttempt,
  publishDeltas: PublishDeltas,
): AttemptDeltas | null {
  const { key, node, visit, path, runId, request } = task;
  if (visit === undefined || asksForSummary(request.messages.at(-1)?.id)) return null;
  const position = { node, ...(path && { path }), visit, attempt: made.turn ?? made.attempt, callKey: key };
  return openDeltas((deltas) => publishDeltas(runId, deltas), position);
}
