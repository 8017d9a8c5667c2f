import type { ModelEntry } from '../../graph/catalog.ts';
import type { ModelCallRequest, ModelReply } from '../../graph/effect.ts';
import type { SecretReference } from '../secrets.ts';

/** A model as the configuration names it. */
export interface ModelSettings extends ModelEntry {
  readonly provider: 'openai' | 'anthropic' | 'google' | 'openai-compatible';
  /** What the provider calls it. */
  readonly model: string;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | SecretReference | undefined;
}

/** Asks a model once; retries are the workflow's. @throws CallError */
export type Generate = (request: ModelCallRequest, signal: AbortSignal) => Promise<ModelReply>;
