import * as oauth from 'oauth4webapi';
import type { ConsoleConfig } from './use-session.ts';
import { readPerson, readJson } from './person.ts';
import type { StoredSession } from './person.ts';
import { RETURN_PATH } from './return-path.ts';

/* OpenID Connect, the code flow with PKCE (RFC 7636), for a client without a secret. */

const KEY = 'holdfast.sign-in';

interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The address that the person opened before signing in. */
  readonly asked: string;
}

/** The address from which this tab was redirected to the issuer; `null` if it was not. */
export function addressBeforeSignIn(): string | null {
  const stored = sessionStorage.getItem(KEY);
  return stored === null ? null : readJson<PendingSignIn>(stored).asked;
}

/** Redirects to the issuer's page. @throws Error if the issuer publishes no address of it */
export async function redirectToIssuer(config: ConsoleConfig): Promise<void> {
  const server = await discover(config);
  if (server.authorization_endpoint === undefined) throw new Error('The issuer names no page to sign in');
  const pending = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    asked: location.href,
  };
  sessionStorage.setItem(KEY, JSON.stringify(pending));
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    ...config.parameters,
    client_id: config.clientId ?? '',
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope: config.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** Exchanges the issuer's answer for tokens. @param returned the address to which it redirected */
export async function exchangeAnswer(returned: URL, config: ConsoleConfig): Promise<StoredSession> {
  const stored = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (stored === null) throw new Error('This tab has not asked to sign in');
  const { state, nonce, verifier } = readJson<PendingSignIn>(stored);
  const server = await discover(config);
  const client = { client_id: config.clientId ?? '' };
  const parameters = oauth.validateAuthResponse(server, client, returned, state);
  const exchange = { code: parameters, options: insecure(config) };
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    exchange.code,
    redirectUri(),
    verifier,
    exchange.options,
  );
  const result = await oauth.processAuthorizationCodeResponse(server, client, answer, { expectedNonce: nonce });
  return toSession(result, config);
}

/**
 * Renews a session by its refresh token, which is stored in this tab like the access token.
 * @throws Error if the issuer returns no new token
 */
export async function renewAtIssuer(refreshToken: string, config: ConsoleConfig): Promise<StoredSession> {
  const server = await discover(config);
  const client = { client_id: config.clientId ?? '' };
  const options = insecure(config);
  const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options);
  const result = await oauth.processRefreshTokenResponse(server, client, answer);
  return toSession({ refresh_token: refreshToken, ...result }, config);
}

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
}

function toSession(
  { access_token: token, refresh_token: refreshToken }: TokenAnswer,
  { claims }: ConsoleConfig,
): StoredSession {
  return { people: [readPerson(token, claims)], current: 0, ...(refreshToken !== undefined && { refreshToken }) };
}

async function discover(config: ConsoleConfig): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(config.issuer ?? '');
  return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure(config)));
}

/** Only an issuer on this machine may do without TLS. */
function insecure({ issuer }: ConsoleConfig): { readonly [oauth.allowInsecureRequests]?: boolean } {
  const { protocol, hostname } = new URL(issuer ?? '');
  const isLocal = protocol === 'http:' && ['localhost', '127.0.0.1'].includes(hostname);
  return isLocal ? { [oauth.allowInsecureRequests]: true } : {};
}

const redirectUri = (): string => `${location.origin}${RETURN_PATH}`;
