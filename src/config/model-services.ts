import { z } from 'zod';
import type { ProviderName } from '../activities/model-providers.ts';

/** A service whose models are asked by the protocol of a provider. */
interface ModelService {
  readonly protocol: ProviderName;
  /** The address up to the protocol's own path. `{field}` stands for a field of the model's configuration. */
  readonly address: string;
}

/** The services that a configuration may name as `provider`, beside the providers themselves. */
export const MODEL_SERVICES = {
  azure: { protocol: 'openai', address: 'https://{resource}.openai.azure.com/openai/v1' },
  bedrock: { protocol: 'openai-compatible', address: 'https://bedrock-runtime.{region}.amazonaws.com/openai/v1' },
  deepseek: { protocol: 'openai-compatible', address: 'https://api.deepseek.com/v1' },
  groq: { protocol: 'openai-compatible', address: 'https://api.groq.com/openai/v1' },
  mistral: { protocol: 'openai-compatible', address: 'https://api.mistral.ai/v1' },
  ollama: { protocol: 'openai-compatible', address: 'http://127.0.0.1:11434/v1' },
  openrouter: { protocol: 'openai-compatible', address: 'https://openrouter.ai/api/v1' },
  vertex: { protocol: 'google', address: 'https://aiplatform.googleapis.com/v1/publishers/google' },
  vllm: { protocol: 'openai-compatible', address: 'http://127.0.0.1:8000/v1' },
  xai: { protocol: 'openai-compatible', address: 'https://api.x.ai/v1' },
} as const satisfies Readonly<Record<string, ModelService>>;

export type ServiceName = keyof typeof MODEL_SERVICES;

export const SERVICE_NAMES = Object.keys(MODEL_SERVICES).filter(isServiceName);

export function isServiceName(name: unknown): name is ServiceName {
  return typeof name === 'string' && Object.hasOwn(MODEL_SERVICES, name);
}

/** A part of a host name, so that a field can lead to no other host. */
const HostPart = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i, 'must be a part of a host name');

/** The fields that the address of a service contains. */
export const ADDRESS_FIELDS = { resource: HostPart.optional(), region: HostPart.optional() } as const;

type AddressFields = z.output<z.ZodObject<typeof ADDRESS_FIELDS>>;

/** A field of a model's configuration that is missing, or belongs to another service. */
interface AddressProblem {
  readonly field: string;
  readonly message: string;
}

/** Returns the address of a service, or what is wrong with the fields that it contains. */
export function serviceAddress(
  name: ServiceName,
  fields: AddressFields,
): { readonly address: string } | { readonly problems: readonly AddressProblem[] } {
  const { address }: ModelService = MODEL_SERVICES[name];
  const parts = Object.entries<string | undefined>(fields).map(([field, value]) => ({
    field,
    value,
    isPart: address.includes(`{${field}}`),
  }));
  const problems = parts
    .filter(({ isPart, value }) => isPart === (value === undefined))
    .map(({ field, isPart }) => ({
      field,
      message: isPart ? `is needed: models of ${name} are at ${address}` : `is no field of models of ${name}`,
    }));
  if (problems.length > 0) return { problems };
  return { address: parts.reduce((text, { field, value = '' }) => text.replace(`{${field}}`, value), address) };
}
