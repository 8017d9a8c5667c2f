import { code, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { TEMPORAL_VARIABLES, VARIABLES } from '../texts/environment.ts';

export const environmentPage: Page = {
  name: 'environment',
  title: 'Environment',
  summary: 'Every variable that the processes read.',
  render: () =>
    paragraphs(
      table(
        ['variable', 'read by', 'meaning', 'otherwise'],
        VARIABLES.map(({ name, readBy, meaning, otherwise }) => [
          code(name),
          readBy,
          meaning,
          otherwise || '**needed**',
        ]),
      ),
      'Secrets that the [configuration](configuration.md) names (`{ "secret": "NAME" }`) are variables of the worker, too, unless its `secrets` says otherwise.',
      '## Temporal',
      `The variables and profiles of Temporal's own tools hold here as well. For Temporal Cloud, set \`TEMPORAL_ADDRESS\`, \`TEMPORAL_NAMESPACE\` and
either \`TEMPORAL_API_KEY\` or a certificate.`,
      table(
        ['variable', 'meaning'],
        Object.entries(TEMPORAL_VARIABLES).map(([name, meaning]) => [code(name), meaning]),
      ),
    ),
};
