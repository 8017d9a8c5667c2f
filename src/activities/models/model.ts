import type { FilePart, ModelEntry } from '../../graph/definition/index.ts';
import type { Json, JsonSchema } from '../../graph/values/index.ts';
import type { ModelCallRequest, ModelReply } from '../../graph/run/index.ts';
import type { ProviderName } from '../model-providers.ts';
import type { SecretReference } from '../secrets.ts';

/** A configured model of a provider. */
export interface ModelSettings extends ModelEntry {
  readonly provider: ProviderName;
  /** The provider's name of the model. */
  readonly model: string;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | SecretReference | undefined;
  /** True to request the answer as a stream. */
  readonly stream?: boolean | undefined;
}

/** A tool's description for a model. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** A request to a model whose messages are fitted. */
export type ModelRequest = Omit<ModelCallRequest, 'kind' | 'tools' | 'offers' | 'context' | 'policy'> & {
  readonly tools: readonly ToolOffer[];
};

export interface GenerateContext {
  /** The call key: the same in every attempt of this call, and unique to it. */
  readonly key: string;
  /** Aborts on time-out or cancellation of the call. */
  readonly signal: AbortSignal;
  /** Publishes a piece of the answer's text before the answer is complete. The reply contains the complete text. */
  readonly emit: (text: string) => void;
  /**
   * Reads a file of the request's messages.
   * @throws CallError for a file that the run's starter may not read, or that is too large
   */
  readonly readFile: (part: FilePart) => Promise<Uint8Array>;
}

/** The context of one attempt of a call, for the engine's own models. */
export interface AttemptContext extends GenerateContext {
  /** True if no other attempt follows a failure; false by default. */
  readonly isLastAttempt?: boolean;
}

/** Calls a model once; the workflow makes retries. @throws CallError */
export type Generate = (request: ModelRequest, context: AttemptContext) => Promise<ModelReply>;

/** Reply of a configured model function; omitted fields are empty. */
export interface OwnReply {
  /** The text of the model. */
  readonly text?: string;
  /** The tool calls that it requests. */
  readonly toolCalls?: readonly { readonly id?: string; readonly name: string; readonly args: Json }[];
  /** Budgets count these tokens; without them nothing is counted. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly finishReason?: ModelReply['finishReason'];
}

/** A model whose code is in the configuration. */
export type OwnGenerate = (request: ModelRequest, context: GenerateContext) => OwnReply | Promise<OwnReply>;
