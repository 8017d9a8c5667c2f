import { askedBefore } from './issuer-sign-in.ts';
import { RETURN_PATH, toReturnPath } from './return-path.ts';

/** What an address brings for signing in: the one-time code of a local stack, or the answer of an issuer. */
export type Arrival = { readonly kind: 'code'; readonly code: string } | { readonly kind: 'issuer'; readonly url: URL };

/**
 * Takes what the address brings, and shows the address without it, so that no history and no copy has it. After an issuer, it is
 * the one that the person had asked for.
 */
export function takeArrival(): Arrival | null {
  const url = new URL(location.href);
  const code = new URLSearchParams(url.hash.slice(1)).get('code');
  if (code !== null) {
    history.replaceState(null, '', `${url.pathname}${url.search}`);
    return { kind: 'code', code };
  }
  if (url.pathname !== RETURN_PATH) return null;
  history.replaceState(null, '', toReturnPath(askedBefore(), url.origin));
  return { kind: 'issuer', url };
}
