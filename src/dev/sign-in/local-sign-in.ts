import type { LocalSignIn } from '../../api/deps.ts';
import { CALLERS } from '../issuer.ts';
import type { Issuer } from '../issuer.ts';

/** The people of the console, the one to begin with first. */
const PEOPLE = [CALLERS.admin, CALLERS.approver, CALLERS.approver2, CALLERS.user] as const;

/** Opens the exchange of one-time codes for tokens of the local stack's people. This process remembers which are used. */
export function openLocalSignIn(issuer: Issuer, now: () => number = Date.now): LocalSignIn {
  const usedUntilMs = new Map<string, number>();
  return async (text) => {
    const code = await issuer.readCode(text);
    for (const [id, untilMs] of usedUntilMs) if (untilMs <= now()) usedUntilMs.delete(id);
    if (!code || usedUntilMs.has(code.id)) return null;
    usedUntilMs.set(code.id, code.expiresAtMs);
    return await Promise.all(PEOPLE.map(async (person) => await issuer.sign(person)));
  };
}

/** The address of the console with a new code in its fragment, which browsers do not send to servers. */
export async function consoleAddress(baseUrl: string, issuer: Issuer): Promise<string> {
  return `${baseUrl}/console/#code=${await issuer.signCode()}`;
}
