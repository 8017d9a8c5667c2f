import { own } from '../graph/json.ts';

/** A secret is named everywhere and resolved only inside the activity that uses it. */
export interface SecretReference {
  readonly secret: string;
}

/** Gives a secret's value. @throws when there is none of that name */
export type SecretResolver = (name: string) => Promise<string>;

export function createEnvironmentSecrets(environment: Readonly<Record<string, string | undefined>>): SecretResolver {
  return async (name) => {
    const value = own(environment, name);
    if (value === undefined || value === '') throw new Error(`The environment holds no secret ${name}`);
    return value;
  };
}

/** The secrets that one call uses. */
export interface UsedSecrets {
  /** A text as it is, or the secret that it stands for. */
  resolve(value: string | SecretReference): Promise<string>;
  /** Takes the secrets out of a text that others will read. */
  redact(text: string): string;
}

/** Shorter parts of a secret, such as the word `Bearer`, give nothing away. */
const MIN_REDACTED = 7;

export function useSecrets(secrets: SecretResolver): UsedSecrets {
  const used = new Set<string>();
  return {
    async resolve(value) {
      if (typeof value === 'string') return value;
      const secret = await secrets(value.secret);
      for (const part of [secret, ...secret.split(/\s+/)]) if (part.length >= MIN_REDACTED) used.add(part);
      return secret;
    },
    redact: (text) => [...used].reduce((redacted, secret) => redacted.replaceAll(secret, '[secret]'), text),
  };
}
