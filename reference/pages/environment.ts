import { SETTINGS } from '../../src/config/settings.ts';
import type { Setting } from '../../src/config/settings.ts';
import { code, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { VARIABLES } from '../texts/environment.ts';

export const environmentPage: Page = {
  name: 'environment',
  title: 'Environment',
  summary: 'Every variable that the processes read.',
  render: () =>
    paragraphs(
      'An empty variable counts as one that is not set. The API needs `DATABASE_URL` and `HOLDFAST_CURSOR_SECRET`, a worker `DATABASE_URL`. `npm start` needs none.',
      '## API and workers',
      table(
        ['variable', 'default', 'meaning'],
        Object.entries<Setting>(SETTINGS).map(([name, { fallback, meaning }]) => [
          code(name),
          fallback === undefined ? '' : code(fallback),
          meaning,
        ]),
      ),
      `\`TEMPORAL_*\` are those of Temporal's own tools, which know [some more](https://docs.temporal.io/develop/environment-configuration).
\`start\` and \`dev\` read them, too, if \`TEMPORAL_ADDRESS\` or \`TEMPORAL_PROFILE\` is set; else they run a server of their own.`,
      'Secrets that the [configuration](configuration.md) names (`{ "secret": "NAME" }`) are variables of the worker, too, unless its `secrets` says otherwise.',
      '## Other variables',
      table(
        ['variable', 'read by', 'meaning', 'otherwise'],
        VARIABLES.map(({ name, readBy, meaning, otherwise }) => [code(name), readBy, meaning, otherwise]),
      ),
    ),
};
