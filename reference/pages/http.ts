import { isJsonList, isJsonObject, toTemplateText } from '../../src/graph/values/index.ts';
import type { Json, JsonObject } from '../../src/graph/values/index.ts';
import { fieldTable } from '../field-table.ts';
import { code, codeBlock, listOf, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { typeText } from '../type-text.ts';

const INTRODUCTION = `This page is made of the API's own description: \`GET /openapi.json\` (OpenAPI 3.1), which \`/docs\` shows in a browser.
[The client](../client.md) has a method for most operations.`;

const RULES = `- Bodies and answers are JSON in UTF-8. Unknown fields and query parameters are refused.
- \`Authorization: Bearer <token>\`. Each operation names the permission that it needs; the roles \`user\`, \`approver\` and \`admin\` are sets of them.
- A POST that changes something takes an \`Idempotency-Key\`: the same key and body give the first answer again.
- Lists have \`items\` and \`nextCursor\`; \`?cursor=\` asks for the next page, \`?limit=\` says how many entries it has at most (200).
- Errors are [problem documents](errors.md#problems-of-the-api). Each answer has an \`X-Request-Id\`.`;

export const httpPage: Page = {
  name: 'http',
  title: 'HTTP API',
  summary: 'Every operation, with its permission, parameters, body and answers.',
  render: ({ api }) =>
    paragraphs(
      INTRODUCTION,
      '## Rules',
      RULES,
      ...listAt(api, 'tags').map((tag) => tagSection(api, textAt(tag, 'name'), textAt(tag, 'description'))),
    ),
};

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
}

function tagSection(api: JsonObject, tag: string, description: string): string {
  const operations = membersAt(api, 'paths').flatMap(([path, methods]) =>
    Object.entries(isJsonObject(methods) ? methods : {}).map(([method, operation]) => ({ method, path, operation })),
  );
  const own = operations.filter(({ operation }) => listAt(operation, 'tags').includes(tag));
  return paragraphs(`## ${tag}`, description, ...own.map((operation) => operationSection(api, operation)));
}

function operationSection(api: JsonObject, { method, path, operation }: Operation): string {
  const content = memberAt(memberAt(operation, 'requestBody'), 'content');
  const schema = resolved(api, memberAt(memberAt(content, 'application/json'), 'schema'));
  return paragraphs(
    `### ${method.toUpperCase()} ${path}`,
    `${textAt(operation, 'summary')}. \`${textAt(operation, 'operationId')}\`, ${permissionText(operation)}.`,
    parametersTable(operation),
    schema === null ? '' : paragraphs('Body:', fieldTable(schema), exampleOf(schema)),
    answersTable(operation),
  );
}

function permissionText(operation: Json): string {
  const permissions = listAt(operation, 'security').flatMap((one) => listAt(one, 'bearer').map(toTemplateText));
  return permissions.length === 0 ? 'without a token' : `needs ${permissions.map(code).join(' or ')}`;
}

function parametersTable(operation: Json): string {
  const rows = listAt(operation, 'parameters').map((parameter) => [
    `${code(textAt(parameter, 'name'))}${memberAt(parameter, 'required') === true ? ' (needed)' : ''}`,
    textAt(parameter, 'in'),
    typeText(memberAt(parameter, 'schema')),
    textAt(parameter, 'description'),
  ]);
  return rows.length === 0 ? '' : table(['parameter', 'in', 'type', 'description'], rows);
}

function answersTable(operation: Json): string {
  const answers = membersAt(operation, 'responses').filter(([status]) => Number(status) < 400);
  const problems = membersAt(operation, 'responses').filter(([status]) => Number(status) >= 400);
  const lines = answers.map(([status, answer]) => {
    const headers = membersAt(answer, 'headers').map(([name]) => name);
    return `- **${status}** ${textAt(answer, 'description')}${headers.length > 0 ? `; headers ${listOf(headers)}` : ''}`;
  });
  return [
    ...lines,
    ...(problems.length > 0 ? [`- Problems: ${problems.map(([status]) => status).join(', ')}`] : []),
  ].join('\n');
}

function exampleOf(schema: Json): string {
  const example = memberAt(schema, 'example');
  return example === null ? '' : codeBlock('json', JSON.stringify(example));
}

/** Follows a reference inside the description. */
function resolved(api: JsonObject, schema: Json): Json {
  const reference = textAt(schema, '$ref');
  if (reference === '') return schema;
  return reference.split('/').slice(1).reduce<Json>(memberAt, api);
}

function memberAt(value: Json, name: string): Json {
  return (isJsonObject(value) ? value[name] : undefined) ?? null;
}

function membersAt(value: Json, name: string): readonly [string, Json][] {
  const member = memberAt(value, name);
  return isJsonObject(member) ? Object.entries(member) : [];
}

function listAt(value: Json, name: string): readonly Json[] {
  const member = memberAt(value, name);
  return isJsonList(member) ? member : [];
}

function textAt(value: Json, name: string): string {
  return toTemplateText(memberAt(value, name));
}
