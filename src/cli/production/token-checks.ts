import { z } from 'zod';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/load-config.ts';
import { checkClock } from './doctor-check.ts';
import type { DoctorCheck, Installation } from './doctor-check.ts';

/** The checks of the tokens that an API process signs and accepts. */
export function tokenChecks({ environment, configFile }: Installation): readonly DoctorCheck[] {
  return [secretCheck(environment), keysCheck(configFile)];
}

function secretCheck({ HOLDFAST_CURSOR_SECRET: secret }: NodeJS.ProcessEnv): DoctorCheck {
  return {
    name: 'cursor secret',
    remedy: 'set HOLDFAST_CURSOR_SECRET to a long random text, the same for every API process: openssl rand -base64 32',
    async find() {
      if (!secret) throw new Error('HOLDFAST_CURSOR_SECRET is not set');
      return 'set';
    },
  };
}

const KeySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

const TOKEN_CHECK_WITHIN_MS = 5_000;

function keysCheck(file: string | undefined): DoctorCheck {
  return {
    name: 'token keys',
    remedy:
      'set auth in the configuration: issuer, audience and jwksUrl of your OpenID Connect provider; set the clocks by NTP',
    async find() {
      const { auth }: Pick<Config, 'auth'> = await loadConfig(file);
      if (!auth) throw new Error('The configuration has no auth section');
      const response = await fetch(auth.jwksUrl, { signal: AbortSignal.timeout(TOKEN_CHECK_WITHIN_MS) });
      if (!response.ok) throw new Error(`${auth.jwksUrl} answers ${response.status}`);
      const { keys } = KeySetSchema.parse(await response.json());
      const sent = sentAt(response);
      if (sent) checkClock("its issuer's", sent);
      return `${keys.length} at ${auth.jwksUrl}`;
    },
  };
}

/** The time at which a server sent its response, corrected for caches (RFC 9111, section 5.1); `null` if unknown. */
function sentAt({ headers }: Response): Date | null {
  const dateMs = Date.parse(headers.get('date') ?? '');
  const ageMs = Number(headers.get('age') ?? 0) * 1_000;
  return Number.isFinite(dateMs + ageMs) ? new Date(dateMs + ageMs) : null;
}
