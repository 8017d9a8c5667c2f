import { z } from 'zod';
import type { ListStyle } from '../activities/tools/http-fields.ts';
import type { Tool as ReadyTool, CodeToolContext } from '../activities/tools/tool.ts';
import { EXECUTIONS, LOCAL_CALLS, mayBeLocal } from '../graph/definition/index.ts';
import { parseExpression, splitIntoPieces } from '../graph/expression/index.ts';
import { Policy, TimeSpan } from '../graph/schema/index.ts';
import { callFields, codeField, Safety, parseBySchemaOf, SecretOrText, ToolName } from './fields.ts';
import { JsonSchemaField } from './json-schema.ts';
import type { CallSettingsInput } from './fields.ts';
import { Parameters, SchemaResult } from './tool-parameters.ts';

/* Tools: HTTP requests as data, and code. */

const ApprovalField = z.union([
  z.enum(['always', 'never']),
  z.strictObject({
    when: z
      .string()
      .refine((text) => isParsable(() => parseExpression(text, ['args'])), 'must be CEL over args')
      .optional(),
    policy: Policy.optional(),
    timeout: TimeSpan.optional(),
  }),
]);

/** Policy of a tool, whatever its source. */
export const policyFields = {
  ...callFields,
  effect: Safety.default('unsafe'),
  approval: ApprovalField.optional(),
  roles: z.array(z.string()).readonly().optional(),
  onFailure: z.string().optional(),
  taskQueue: z
    .string()
    .regex(/^[^\s,]+$/, 'must be a name without spaces and commas')
    .optional(),
  execution: z.enum(EXECUTIONS).optional(),
};

/** False if a tool asks for local execution, which its safety or its time limit forbids. */
export function isExecutionAllowed({ execution, effect, timeout }: ExecutionTerms): boolean {
  return execution !== 'local' || mayBeLocal(effect, timeout);
}

interface ExecutionTerms extends Pick<PolicyInput, 'execution' | 'timeout'> {
  readonly effect?: PolicyInput['effect'] | undefined;
}

export const EXECUTION_PROBLEM = { path: ['execution'], message: `may be "local" only with ${LOCAL_CALLS}` };

const ToolPolicy = z.strictObject(policyFields satisfies { readonly [Name in keyof PolicyInput]-?: z.ZodType });
type PolicyFields = z.input<typeof ToolPolicy>;

/** The terms of a tool, as configurations write them. */
export interface PolicyInput extends CallSettingsInput {
  /**
   * The effect of a repeated call: none (`idempotent`), none under the same key (`keyed`), possibly harmful (`unsafe`).
   */
  effect?: PolicyFields['effect'];
  /** When a call needs an approval: `never`, `always`, or `{ when?, policy?, timeout? }`. */
  approval?: PolicyFields['approval'];
  /** Roles of which the starter of a run needs at least one. */
  roles?: PolicyFields['roles'];
  /**
   * The handling of an agent's failed call: `tell` returns the error to the model, `intervene` waits for a person, a
   * tool name calls that tool.
   */
  onFailure?: PolicyFields['onFailure'];
  /** The task queue whose workers make the calls. */
  taskQueue?: PolicyFields['taskQueue'];
  /** `local` for short idempotent calls. */
  execution?: PolicyFields['execution'];
}

const toolFields = { name: ToolName, description: z.string(), result: SchemaResult.optional(), ...policyFields };

const HttpTool = z
  .strictObject({
    ...toolFields,
    parameters: JsonSchemaField,
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: z
      .string()
      .regex(
        /^https?:\/\/[^/{}]+(\/|$)/,
        'must begin with http:// or https://, a host and a path, without {{ }} before the path',
      )
      .refine(
        (text) => isParsable(() => splitIntoPieces(text, ['args'])),
        'must be a text with {{ }} around expressions over args',
      ),
    headers: z.record(z.string(), SecretOrText).optional(),
    body: z.enum(['json', 'form']).optional(),
    lists: z.enum(['repeat', 'brackets', 'commas'] satisfies ListStyle[]).optional(),
  })
  .refine(({ method, body }) => body === undefined || !['GET', 'DELETE'].includes(method), {
    path: ['body'],
    message: 'is for POST, PUT and PATCH: the arguments of GET and DELETE are in the query',
  })
  .refine(isExecutionAllowed, EXECUTION_PROBLEM);

const CodeTool = z
  .strictObject({
    ...toolFields,
    parameters: Parameters,
    /** Names of the secrets that the code may use. */
    secrets: z.array(z.string()).default([]),
    execute: codeField<(args: unknown, context: CodeToolContext) => unknown>(),
  })
  .refine(isExecutionAllowed, EXECUTION_PROBLEM)
  .transform(({ parameters, ...tool }) => ({ ...tool, ...parameters }));

type HttpToolFields = z.input<typeof HttpTool>;

/** A tool that is an HTTP request, as configurations write it. */
export interface HttpToolInput extends PolicyInput {
  /** The name that graphs and models use: 1 to 64 letters, digits, `_`, `.`, `:`, `-`. */
  name: HttpToolFields['name'];
  /** The description for models. */
  description: HttpToolFields['description'];
  /** JSON Schema of the arguments. */
  parameters: HttpToolFields['parameters'];
  /** JSON Schema of the result; any other result fails the call. */
  result?: HttpToolFields['result'];
  /** The method of the request. */
  method: HttpToolFields['method'];
  /** The address; `{{ }}` in path and query over `args`. */
  url: HttpToolFields['url'];
  /** The headers; a value may be `{ secret: 'NAME' }`. */
  headers?: HttpToolFields['headers'];
  /** How arguments are written in the body of POST, PUT and PATCH: as JSON, or as the fields of a form. */
  body?: HttpToolFields['body'];
  /**
   * How lists are written in a query or a form: the name repeated (`ids=a&ids=b`, the default), `brackets`
   * (`ids[]=a&ids[]=b`) or `commas` (`ids=a,b`).
   */
  lists?: HttpToolFields['lists'];
}

/** A tool of a checked configuration; one of an MCP server is complete already. */
export type ToolConfig = z.output<typeof HttpTool> | z.output<typeof CodeTool> | ReadyTool;

export const Tool = parseBySchemaOf<ToolConfig>((value) => ('execute' in value ? CodeTool : HttpTool));

function isParsable(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
