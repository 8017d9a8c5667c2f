/** The address to which the issuer redirects. */
export const RETURN_PATH = '/console/signed-in';

const HOME = '/console/';

/**
 * Reads the address that a person opened before signing in.
 * @returns its path below `/console` of this origin; the first page for any other address
 */
export function toReturnPath(asked: string | null, origin: string): string {
  const url = asked === null ? null : parse(asked, origin);
  if (url?.origin !== origin || !url.pathname.startsWith(HOME) || url.pathname === RETURN_PATH) return HOME;
  return `${url.pathname}${url.search}${url.hash}`;
}

function parse(text: string, origin: string): URL | null {
  try {
    return new URL(text, origin);
  } catch {
    return null;
  }
}
