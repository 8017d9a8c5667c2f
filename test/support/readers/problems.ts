import { expect } from 'vitest';
import type { ApiAnswer } from './api-client.ts';
import { at, listAt, textAt } from './json-at.ts';

/** A matcher for a refusal (RFC 9457). @param headers its headers apart from the content type */
export function aProblem(status: number, code: string, headers: Readonly<Record<string, RegExp>> = {}) {
  const body = {
    type: expect.stringMatching(/^(?:https?|urn):/),
    title: expect.stringMatching(/./),
    status,
    code,
    detail: expect.stringMatching(/./),
    instance: expect.stringMatching(/^\//),
  };
  const expected = Object.entries({ 'content-type': /^application\/problem\+json$/, ...headers });
  const hasHeaders = (given: unknown): boolean =>
    given instanceof Headers && expected.every(([name, value]) => value.test(given.get(name) ?? ''));
  return { status, headers: expect.toSatisfy(hasHeaders), body };
}

/** The paths of a response's issues, as JSON Pointers in order. */
export function issuePathsOf({ body }: ApiAnswer): string[] {
  return issuesOf(body).map((issue) => textAt(issue, '/path'));
}

/** The errors of a graph, as `CODE /path`, in order. */
export function errorsIn({ body }: Pick<ApiAnswer, 'body'>): string[] {
  const errors = issuesOf(body).filter((issue) => at(issue, '/severity') === 'error');
  return errors.map((issue) => `${textAt(issue, '/code')} ${textAt(issue, '/path')}`).sort();
}

function issuesOf(body: ApiAnswer['body']) {
  return at(body, '/issues') === undefined ? [] : listAt(body, '/issues');
}
