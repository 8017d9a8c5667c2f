import { parseConfig } from '../../src/config/load-config.ts';
import { isJsonObject, toJson } from '../../src/graph/values/index.ts';
import type { Json } from '../../src/graph/values/index.ts';
import { code, codeBlock, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { EMBEDDINGS, MCP_SERVER, MODEL, SECTIONS, TOOL, TOP } from '../texts/configuration.ts';

const INTRODUCTION = `The configuration of an installation is \`holdfast.config.ts\`, \`.mts\`, \`.js\`, \`.mjs\` or \`.json\`, or the file that \`HOLDFAST_CONFIG\` or \`--config\`
names. API and workers read the same one. It is checked at start, and every problem is named. Addresses and secrets come from the
[environment](environment.md).`;

const EXAMPLE = `import { defineConfig } from 'holdfast';

export default defineConfig({
  models: { default: { provider: 'openai', model: 'gpt-5-mini', apiKey: { secret: 'OPENAI_API_KEY' } } },
  defaults: { timeout: '30s', approvalTimeout: '2d' },
  retention: { runs: '90d', checkpoints: '30d' },
});`;

const SECRETS = `A secret is written \`{ "secret": "NAME" }\`. The worker resolves it inside the call that uses it. It is in no definition, input, history or log.`;

const defaults = toJson(JSON.parse(JSON.stringify(parseConfig('an empty configuration', {}))));

export const configurationPage: Page = {
  name: 'configuration',
  title: 'Configuration',
  summary: 'Every field of `holdfast.config.ts`, with its default.',
  render: () =>
    paragraphs(
      INTRODUCTION,
      codeBlock('ts', EXAMPLE),
      fieldsTable(TOP, defaults),
      SECRETS,
      '## A model',
      'More about it: [models](../models.md).',
      fieldsTable(MODEL),
      '## A tool',
      'More about it: [tools](../tools.md).',
      fieldsTable(TOOL),
      '## An MCP server',
      'More about it: [MCP servers](../mcp.md).',
      fieldsTable(MCP_SERVER),
      '## A model of embeddings',
      'More about it: [memory](../memory.md#by-meaning).',
      fieldsTable(EMBEDDINGS),
      ...Object.entries(SECTIONS).map(([name, texts]) =>
        paragraphs(`## \`${name}\``, fieldsTable(texts, memberOf(defaults, name))),
      ),
    ),
};

/** Makes a table of fields. @param values the defaults; absent: they are not shown */
function fieldsTable(texts: Readonly<Record<string, string>>, values?: Json): string {
  const rows = Object.entries(texts).map(([name, text]) => [code(name), text]);
  if (values === undefined) return table(['field', 'description'], rows);
  return table(
    ['field', 'description', 'default'],
    rows.map(([name = '', text = '']) => [name, text, shown(memberOf(values, name.replaceAll('`', '')))]),
  );
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return value !== undefined && isJsonObject(value) ? value[name] : undefined;
}

/** Shows a default; a section has defaults of its own. */
function shown(value: Json | undefined): string {
  const isSection = value !== undefined && isJsonObject(value) && Object.keys(value).length > 0;
  return value === undefined || isSection ? '' : code(JSON.stringify(value));
}
