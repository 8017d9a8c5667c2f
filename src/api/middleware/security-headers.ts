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

/** Paths with headers of their own. */
const OWN = [
  [/^\/docs(?:\/|$)/, ofDocs],
  [/^\/api\/blobs\//, ofFiles],
] as const;

/** Middleware: headers that keep a browser from running, framing or guessing at an answer. */
export function securityHeaders() {
  return createMiddleware<ApiEnv>(
    async (c, next) => await (OWN.find(([path]) => path.test(c.req.path))?.[1] ?? ofAnswers)(c, next),
  );
}
