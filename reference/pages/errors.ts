import { STATUS_BY_CODE } from '../../src/api/http/errors.ts';
import { code, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { ISSUES } from '../texts/issues.ts';
import { PROBLEMS } from '../texts/problems.ts';
import { RUN_ERRORS } from '../texts/run-errors.ts';

const ON_ERROR = {
  caught: 'counts',
  ends: 'no: the run fails',
  waits: 'no: a person decides',
} as const;

const RUNS = `A failed run has \`error\`, and a failed node the event \`node.failed\`: \`{ code, message, node?, step?, attempts?, cause? }\`. The column
\`onError\` says if \`onError\` of the node can catch it. [Recovery](../recovery.md) shows how a failed run goes on.`;

const DEFINITIONS = `An error keeps a definition from being published or run. A warning does not. Each has a \`path\`, a JSON Pointer to the place.`;

const API = `Every answer that is no success is a problem document (RFC 9457, \`application/problem+json\`) with \`code\`, \`status\`, \`title\`, \`detail\`,
\`instance\`, and \`issues\` where several places are wrong.`;

const statuses: Readonly<Record<string, number>> = STATUS_BY_CODE;

export const errorsPage: Page = {
  name: 'errors',
  title: 'Error codes',
  summary: 'Failures of runs, issues of definitions, problems of the API: cause, and what to do.',
  render: () =>
    paragraphs(
      '## Failures of runs',
      RUNS,
      table(
        ['code', '`onError`', 'cause', 'what to do'],
        Object.entries(RUN_ERRORS).map(([name, { onError, cause, remedy }]) => [
          code(name),
          ON_ERROR[onError],
          cause,
          remedy,
        ]),
      ),
      '## Issues of a definition',
      DEFINITIONS,
      table(
        ['code', 'severity', 'cause', 'what to do'],
        Object.entries(ISSUES).map(([name, { severity, cause, remedy }]) => [code(name), severity, cause, remedy]),
      ),
      '## Problems of the API',
      API,
      table(
        ['code', 'status', 'cause', 'what to do'],
        Object.entries(PROBLEMS).map(([name, { cause, remedy }]) => [
          code(name),
          String(statuses[name]),
          cause,
          remedy,
        ]),
      ),
    ),
};
