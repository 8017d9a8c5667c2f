import { trace } from '@opentelemetry/api';

/* Names of attributes. */

/** Generative AI (OpenTelemetry, semantic conventions 1.41, all of them "Development"). */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  workflow: 'gen_ai.workflow.name',
  agent: 'gen_ai.agent.name',
  agentId: 'gen_ai.agent.id',
  conversation: 'gen_ai.conversation.id',
  outputType: 'gen_ai.output.type',
  requestModel: 'gen_ai.request.model',
  temperature: 'gen_ai.request.temperature',
  maxTokens: 'gen_ai.request.max_tokens',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  dimensions: 'gen_ai.embeddings.dimension.count',
  // Content attributes, recorded only where the configuration allows them.
  instructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
} as const;

/** HTTP, sessions and errors (OpenTelemetry, semantic conventions). */
export const GENERAL = {
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  server: 'server.address',
  session: 'session.id',
  error: 'error.type',
} as const;

/** Attributes of Holdfast. */
export const HOLDFAST = {
  tenant: 'holdfast.tenant',
  run: 'holdfast.run.id',
  status: 'holdfast.run.status',
  segment: 'holdfast.segment',
  step: 'holdfast.step',
  node: 'holdfast.node',
  path: 'holdfast.node.path',
  visit: 'holdfast.visit',
  index: 'holdfast.index',
  attempt: 'holdfast.attempt',
  attempts: 'holdfast.attempts',
  key: 'holdfast.idempotency_key',
  checkpoint: 'holdfast.checkpoint',
  cost: 'holdfast.usage.cost_usd',
  leftOut: 'holdfast.spans.left_out',
} as const;

/** A model by the names of its provider. */
export interface RequestedModel {
  readonly provider: string;
  readonly model: string;
  /** The address of the requests. */
  readonly baseUrl: string;
}

/** Providers with other names in OpenTelemetry (`gen_ai.provider.name`). */
const PROVIDERS: ReadonlyMap<string, string> = new Map([['google', 'gcp.gemini']]);

/** Returns OpenTelemetry's name of a provider. */
export function providerName(provider: string): string {
  return PROVIDERS.get(provider) ?? provider;
}

/** The attributes of a span with requests to a model. */
export function modelAttributes({ provider, model, baseUrl }: RequestedModel): Readonly<Record<string, string>> {
  return {
    [GEN_AI.provider]: providerName(provider),
    [GEN_AI.requestModel]: model,
    ...(URL.canParse(baseUrl) && { [GENERAL.server]: new URL(baseUrl).hostname }),
  };
}

/** Adds the provider's name of the model to the active span, which is that of a call. */
export function describeModel(model: RequestedModel): void {
  trace.getActiveSpan()?.updateName(`chat ${model.model}`).setAttributes(modelAttributes(model));
}
