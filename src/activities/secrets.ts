/** A secret is named everywhere and resolved only inside the activity that uses it. */
export interface SecretReference {
  readonly secret: string;
}

/** Gives a secret's value. @throws when there is none of that name */
export type SecretResolver = (name: string) => Promise<string>;

export function createEnvironmentSecrets(environment: Readonly<Record<string, string | undefined>>): SecretResolver {
  return async (name) => {
    const value = environment[name];
    if (value === undefined || value === '') throw new Error(`The environment holds no secret ${name}`);
    return value;
  };
}

/** A text as it is, or the secret that it stands for. */
export async function resolveSecret(value: string | SecretReference, secrets: SecretResolver): Promise<string> {
  return typeof value === 'string' ? value : await secrets(value.secret);
}
