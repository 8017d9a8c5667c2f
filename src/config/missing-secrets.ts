import type { Config } from './load-config.ts';
import type { ToolConfig } from './tool.ts';

type SecretOrText = string | { readonly secret: string };

/**
 * Finds the secrets that a configuration names and the environment lacks. Nothing is known of a configuration with a
 * resolver of its own.
 * @returns a sentence for each secret, which names its users
 */
export function findMissingSecrets(
  config: Pick<Config, 'tools' | 'models' | 'mcpServers' | 'memory' | 'secrets'>,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (config.secrets) return [];
  const users = new Map<string, Set<string>>();
  for (const [user, secret] of namedSecrets(config)) {
    if ((environment[secret] ?? '') !== '') continue;
    users.set(secret, (users.get(secret) ?? new Set()).add(user));
  }
  return [...users].map(([name, of]) => `The environment holds no secret ${name}, used by ${[...of].join(', ')}`);
}

/** Yields each user of a secret with the secret's name. */
function* namedSecrets({
  tools,
  models,
  mcpServers,
  memory: { embeddings },
}: Pick<Config, 'tools' | 'models' | 'mcpServers' | 'memory'>): Generator<readonly [user: string, secret: string]> {
  for (const tool of tools) for (const secret of secretsOf(tool)) yield [`tool ${tool.name}`, secret];
  for (const [name, model] of Object.entries(models))
    if ('apiKey' in model) for (const secret of referencesIn([model.apiKey])) yield [`model ${name}`, secret];
  for (const [name, server] of Object.entries(mcpServers)) {
    const values = Object.values('url' in server ? server.headers : server.env);
    for (const secret of referencesIn(values)) yield [`MCP server ${name}`, secret];
  }
  for (const secret of referencesIn([embeddings?.apiKey])) yield ['the model of embeddings', secret];
}

function secretsOf(tool: ToolConfig): readonly string[] {
  if ('headers' in tool) return referencesIn(Object.values(tool.headers ?? {}));
  return 'secrets' in tool ? tool.secrets : [];
}

function referencesIn(values: readonly (SecretOrText | undefined)[]): readonly string[] {
  return values.flatMap((value) => (typeof value === 'object' ? [value.secret] : []));
}
