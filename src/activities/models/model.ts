import type { ModelEntry } from '../../graph/definition/index.ts';
import type { Json, JsonSchema } from '../../graph/values/index.ts';
import type { ModelCallRequest, ModelReply } from '../../graph/run/index.ts';
import type { SecretReference } from '../secrets.ts';

/** A model of a provider, as the configuration names it. */
export interface ModelSettings extends ModelEntry {
  readonly provider: 'openai' | 'anthropic' | 'google' | 'openai-compatible';
  /** What the provider calls it. */
  readonly model: string;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | SecretReference | undefined;
  /** The answer is read while it is written. */
  readonly stream?: boolean | undefined;
}

/** A tool as a model is told of it. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** What a model is asked, once its messages fit. */
export type ModelRequest = Omit<ModelCallRequest, 'kind' | 'tools' | 'context' | 'policy'> & {
  readonly tools: readonly ToolOffer[];
};

export interface GenerateContext {
  /** The same for every attempt of this call, and for no other call. */
  readonly key: string;
  /** Aborts when the call has taken too long or nobody wants it any more. */
  readonly signal: AbortSignal;
}

/** Asks a model once; retries are the workflow's. @throws CallError */
export type Generate = (request: ModelRequest, context: GenerateContext) => Promise<ModelReply>;

/** What the code of a model of one's own gives back; what is left out is empty. */
export interface OwnReply {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly id?: string; readonly name: string; readonly args: Json }[];
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly finishReason?: ModelReply['finishReason'];
}

/** A model of one's own: code of the configuration. */
export type OwnGenerate = (request: ModelRequest, context: GenerateContext) => OwnReply | Promise<OwnReply>;
