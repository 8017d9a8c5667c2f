import { SpanStatusCode } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import { GENERAL } from './names.ts';

/** Has a span show what it has failed with by its code: a message may quote payloads. */
export function markFailed(span: Span, code: string): void {
  span.setAttribute(GENERAL.error, code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
