import type { ClaimNames } from './person.ts';
import { readJson } from './read-json.ts';

/** `/console/config.json`: how people sign in here, and what there is. */
export interface ConsoleConfig {
  readonly issuer: string | null;
  readonly clientId: string | null;
  readonly scope: string;
  /** Further parameters of the request for a code, such as `audience`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly claims: ClaimNames;
  readonly features: { readonly localSignIn: boolean; readonly forking: boolean };
  readonly version: string;
}

/** @throws Error when the API does not answer */
export async function readConsoleConfig(): Promise<ConsoleConfig> {
  const answer = await fetch('/console/config.json');
  if (!answer.ok) throw new Error(`The API answers ${answer.status} to /console/config.json`);
  return readJson<ConsoleConfig>(await answer.text());
}
