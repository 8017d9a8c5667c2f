import { createRemoteJWKSet } from 'jose';
import type { JWTVerifyGetKey } from 'jose';

/** Keys are read again at this age, so that a key that the issuer has withdrawn stops counting. */
const REFRESH_MS = 10 * 60_000;
/** After a failed attempt the keys are not read again for this time, so that an outage does not slow every request. */
const RETRY_MS = 30_000;
/** Keys that can't be read again count until this age, so that an outage of the issuer does not stop the API. */
const MAX_AGE_MS = 3_600_000;
const TIMEOUT_MS = 5_000;

/**
 * Reads the issuer's key set when it is needed. A key that is not in it makes the set be read again. The result throws
 * a `JOSEError` or a `TypeError` when the set can't be read and the key is unknown, or all keys are too old.
 * @param onOutage receives the error of a failed attempt while the keys of the last one still count
 */
export function createIssuerKeys(url: URL, onOutage: (error: unknown) => void): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, { timeoutDuration: TIMEOUT_MS, cacheMaxAge: MAX_AGE_MS });
  let refreshAt = 0;
  async function refresh(): Promise<void> {
    refreshAt = Date.now() + RETRY_MS;
    try {
      await keys.reload();
      refreshAt = Date.now() + REFRESH_MS;
    } catch (error) {
      if (!keys.fresh) throw error;
      onOutage(error);
    }
  }
  return async (header, token) => {
    if (Date.now() >= refreshAt) await refresh();
    return await keys(header, token);
  };
}
