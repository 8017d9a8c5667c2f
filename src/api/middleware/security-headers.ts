import { createMiddleware } from 'hono/factory';
import { secureHeaders } from 'hono/secure-headers';
import type { ApiEnv } from '../deps.ts';

const NONE = ["'none'"];
const SELF = ["'self'"];
/** Nothing may be loaded, framed or sent from here. */
const CLOSED = { defaultSrc: NONE, baseUri: NONE, formAction: NONE, frameAncestors: NONE };
const ofAnswers = secureHeaders({ contentSecurityPolicy: CLOSED, xFrameOptions: 'DENY' });
/** A file of a stranger runs nothing, also where a browser shows it. */
const ofFiles = secureHeaders({ contentSecurityPolicy: { ...CLOSED, sandbox: [] }, xFrameOptions: 'DENY' });
/** The page that browses the description takes its own files, and asks this API only. */
const ofDocs = secureHeaders({
  contentSecurityPolicy: { ...CLOSED, scriptSrc: SELF, styleSrc: SELF, imgSrc: ["'self'", 'data:'], connectSrc: SELF },
  xFrameOptions: 'DENY',
});

/** The console takes its own files, and asks this API and the issuer of its tokens. Styles of single elements are set by its script. */
const ofConsole = (issuers: readonly string[]) =>
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
 * Middleware: headers that keep a browser from running, framing or guessing at an answer.
 * @param issuers the origins at which the console gets its tokens
 */
export function securityHeaders(issuers: readonly string[]) {
  /** Paths with headers of their own. */
  const own = [
    [/^\/docs(?:\/|$)/, ofDocs],
    [/^\/api\/blobs\//, ofFiles],
    [/^\/console(?:\/|$)/, ofConsole(issuers)],
  ] as const;
  return createMiddleware<ApiEnv>(
    async (c, next) => await (own.find(([path]) => path.test(c.req.path))?.[1] ?? ofAnswers)(c, next),
  );
}
