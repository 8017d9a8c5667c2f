import { PROVIDER_URLS } from '../activities/model-providers.ts';
import type { ProviderName } from '../activities/model-providers.ts';

interface Addressed {
  readonly provider: ProviderName;
  readonly baseUrl?: string | undefined;
}

/** Tells if it is known where a model is. */
export function hasAddress({ provider, baseUrl }: Addressed): boolean {
  return baseUrl !== undefined || PROVIDER_URLS[provider] !== null;
}

export const ADDRESS_PROBLEM = {
  path: ['baseUrl'],
  error: 'must say where the provider is: this one has no address of its own',
};
