/** The reason for an unsuccessful response. */
export interface ProblemFailure {
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;
  readonly message: string;
  readonly issues?: readonly object[];
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the request may still be executed. */
  readonly mayTakeEffect?: boolean;
}

const RETRY_AFTER_SECONDS = '5';

/** The header that asks clients to repeat the request later. */
export const RETRY_LATER = { 'retry-after': RETRY_AFTER_SECONDS } as const;

/** Creates a response with a problem document (RFC 9457). @param instance the path of the request */
export function problemResponse(failure: ProblemFailure, instance: string): Response {
  const { code, status, message, issues = [], headers, mayTakeEffect = false } = failure;
  const words = code.toLowerCase().replaceAll('_', ' ');
  const problem = {
    type: `urn:holdfast:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status,
    code,
    detail: message,
    instance,
    ...(issues.length > 0 && { issues }),
    ...(mayTakeEffect && { mayTakeEffect }),
  };
  return new Response(JSON.stringify(problem), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}
