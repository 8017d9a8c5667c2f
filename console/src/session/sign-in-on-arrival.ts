import type { ConsoleConfig } from './console-config.ts';
import { finishAtIssuer } from './issuer-sign-in.ts';
import { readPerson } from './person.ts';
import { readJson } from './read-json.ts';
import type { StoredSession } from './stored-session.ts';
import type { Arrival } from './take-arrival.ts';

/** Exchanges what the address has brought for tokens; once for each page, also where effects run twice. */
export async function signInOnArrival(arrival: Arrival | null, config: ConsoleConfig): Promise<StoredSession | null> {
  if (!arrival) return null;
  exchange ??= arrival.kind === 'code' ? redeem(arrival.code, config) : finishAtIssuer(arrival.url, config);
  return await exchange;
}

let exchange: Promise<StoredSession> | null = null;

async function redeem(code: string, { claims }: ConsoleConfig): Promise<StoredSession> {
  const answer = await fetch('/console/local-sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (!answer.ok)
    throw new Error('This address has been used, or is older than a minute. `holdfast console` prints a new one.');
  const { tokens } = readJson<{ readonly tokens: readonly string[] }>(await answer.text());
  return { people: tokens.map((token) => readPerson(token, claims)), current: 0 };
}
