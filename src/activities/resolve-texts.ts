import type { SecretReference, UsedSecrets } from './secrets.ts';

/** Texts by name, such as headers or an environment, some of which are secrets. */
export type TextsOrSecrets = Readonly<Record<string, string | SecretReference>>;

/** @throws CallError where a secret can't be had */
export async function resolveTexts(values: TextsOrSecrets, secrets: UsedSecrets): Promise<Record<string, string>> {
  const resolved = Object.entries(values).map(async ([name, value]) => [name, await secrets.resolve(value)] as const);
  return Object.fromEntries(await Promise.all(resolved));
}

/** As `resolveTexts`, of names that mean the same in any case. */
export async function resolveHeaders(headers: TextsOrSecrets, secrets: UsedSecrets): Promise<Record<string, string>> {
  const lowercased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return await resolveTexts(Object.fromEntries(lowercased), secrets);
}
