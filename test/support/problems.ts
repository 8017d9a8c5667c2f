import { expect } from 'vitest';
import type { ApiAnswer } from './api-client.ts';
import { at, listAt, textAt } from './json-at.ts';

/** What an answer looks like that refuses something (RFC 9457); to be matched. */
export function aProblem(status: number, code: string) {
  const body = {
    type: expect.stringMatching(/^(?:https?|urn):/),
    title: expect.stringMatching(/./),
    status,
    code,
    detail: expect.stringMatching(/./),
    instance: expect.stringMatching(/^\//),
  };
  return { status, headers: expect.toSatisfy(isProblemType), body };
}

/** Where an answer's issues are, as JSON Pointers in order. */
export function issuePathsOf({ body }: ApiAnswer): string[] {
  return issuesOf(body).map((issue) => textAt(issue, '/path'));
}

/** The issues of a graph that are errors, as `CODE /path`, in order. */
export function errorsIn({ body }: Pick<ApiAnswer, 'body'>): string[] {
  const errors = issuesOf(body).filter((issue) => at(issue, '/severity') === 'error');
  return errors.map((issue) => `${textAt(issue, '/code')} ${textAt(issue, '/path')}`).sort();
}

function issuesOf(body: ApiAnswer['body']) {
  return at(body, '/issues') === undefined ? [] : listAt(body, '/issues');
}

function isProblemType(headers: unknown): boolean {
  return headers instanceof Headers && headers.get('content-type') === 'application/problem+json';
}
