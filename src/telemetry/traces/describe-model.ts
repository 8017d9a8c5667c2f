import { trace } from '@opentelemetry/api';
import { GEN_AI, GENERAL } from './names.ts';

/** A model as its provider knows it. */
export interface AskedModel {
  readonly provider: string;
  readonly model: string;
  /** The address that is asked. */
  readonly baseUrl: string;
}

/** Providers whose names differ from ours (OpenTelemetry, `gen_ai.provider.name`). */
const PROVIDERS: ReadonlyMap<string, string> = new Map([['google', 'gcp.gemini']]);

/** Names a provider as OpenTelemetry does. */
export function providerName(provider: string): string {
  return PROVIDERS.get(provider) ?? provider;
}

/** The attributes of a span for requests to a model. */
export function modelAttributes({ provider, model, baseUrl }: AskedModel): Readonly<Record<string, string>> {
  return {
    [GEN_AI.provider]: providerName(provider),
    [GEN_AI.requestModel]: model,
    ...(URL.canParse(baseUrl) && { [GENERAL.server]: new URL(baseUrl).hostname }),
  };
}

/** Has the active span, which is that of a call, name the model as its provider does. */
export function describeModel(asked: AskedModel): void {
  trace.getActiveSpan()?.updateName(`chat ${asked.model}`).setAttributes(modelAttributes(asked));
}
