/** What an address brings for signing in: the one-time code of a local stack, or the answer of an issuer. */
export type Arrival = { readonly kind: 'code'; readonly code: string } | { readonly kind: 'issuer'; readonly url: URL };

/** Where the issuer sends people back to. */
export const RETURN_PATH = '/console/signed-in';

/** Takes what the address brings, and shows the address without it, so that no history and no copy has it. */
export function takeArrival(): Arrival | null {
  const url = new URL(location.href);
  const code = new URLSearchParams(url.hash.slice(1)).get('code');
  if (code !== null) {
    history.replaceState(null, '', url.pathname);
    return { kind: 'code', code };
  }
  if (url.pathname !== RETURN_PATH) return null;
  history.replaceState(null, '', '/console/');
  return { kind: 'issuer', url };
}
