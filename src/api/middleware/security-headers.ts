import { createMiddleware } from 'hono/factory';
import { secureHeaders } from 'hono/secure-headers';
import type { ApiEnv } from '../deps.ts';

const NONE = ["'none'"];
const SELF = ["'self'"];
/** Forbids loading, framing and sending forms. */
const CLOSED = { defaultSrc: NONE, baseUri: NONE, formAction: NONE, frameAncestors: NONE };
const headersOfAnswers = secureHeaders({ contentSecurityPolicy: CLOSED, xFrameOptions: 'DENY' });
/** Uploaded files come from untrusted clients, so the sandbox keeps them from running scripts in a browser. */
const headersOfFiles = secureHeaders({ contentSecurityPolicy: { ...CLOSED, sandbox: [] }, xFrameOptions: 'DENY' });
/** The page that displays the API's description loads its own files and sends requests to this API only. */
const headersOfDocs = secureHeaders({
  contentSecurityPolicy: { ...CLOSED, scriptSrc: SELF, styleSrc: SELF, imgSrc: ["'self'", 'data:'], connectSrc: SELF },
  xFrameOptions: 'DENY',
});

/**
 * The console loads its own files and sends requests to this API and the token issuer. Its scripts set inline styles of
 * elements.
 */
const headersOfConsole = (issuers: readonly string[]) =>
  secureHeaders({
    contentSecurityPolicy: {
      ...CLOSED,
      scriptSrc: SELF,
      styleSrc: SELF,
      imgSrc: ["'self'", 'data:'],
      workerSrc: SELF,
      connectSrc: [...SELF, ...issuers],
    },
    xFrameOptions: 'DENY',
  });

/**
 * Middleware: sets headers that keep a browser from executing, framing or sniffing a response.
 * @param issuers the origins from which the console gets its tokens
 */
export function securityHeaders(issuers: readonly string[]) {
  /** Paths with their own headers. */
  const own = [
    [/^\/docs(?:\/|$)/, headersOfDocs],
    [/^\/api\/blobs\//, headersOfFiles],
    [/^\/console(?:\/|$)/, headersOfConsole(issuers)],
  ] as const;
  return createMiddleware<ApiEnv>(
    async (c, next) => await (own.find(([path]) => path.test(c.req.path))?.[1] ?? headersOfAnswers)(c, next),
  );
}
