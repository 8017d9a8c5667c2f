import { z } from 'zod';
import type { Tool as ReadyTool } from '../activities/tools/tool.ts';
import type { CodeToolContext } from '../activities/tools/code-tool-context.ts';
import { EXECUTIONS, LOCAL_CALLS, mayBeLocal } from '../graph/definition/index.ts';
import { parseExpression, parseSegments } from '../graph/expression/index.ts';
import { Policy, TimeSpan } from '../graph/schema/index.ts';
import { callFields, code, Safety, readAs, Schema, SecretOrText, ToolName } from './fields.ts';
import { Parameters, Result } from './tool-parameters.ts';

/* Tools: HTTP requests as data, and code. */

const Approval = z.union([
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
  approval: Approval.optional(),
  /** Roles of the principals whose runs may call it. */
  roles: z.array(z.string()).readonly().optional(),
  /** Reaction to a failed call of an agent: "tell", "intervene", or the name of another tool. */
  onFailure: z.string().optional(),
  taskQueue: z
    .string()
    .regex(/^[^\s,]+$/, 'must be a name without spaces and commas')
    .optional(),
  /** "local" tools are idempotent and short. */
  execution: z.enum(EXECUTIONS).optional(),
};

/** True if the terms of a tool allow its `execution`. */
export function isExecutionAllowed({ execution, effect, timeout }: ExecutionTerms): boolean {
  return execution !== 'local' || mayBeLocal(effect, timeout);
}

interface ExecutionTerms extends Pick<PolicyInput, 'execution' | 'timeout'> {
  readonly effect?: PolicyInput['effect'] | undefined;
}

export const EXECUTION_PROBLEM = { path: ['execution'], message: `may be "local" only with ${LOCAL_CALLS}` };

const ToolPolicy = z.strictObject(policyFields);
export type PolicyInput = z.input<typeof ToolPolicy>;

const toolFields = { name: ToolName, description: z.string(), result: Result.optional(), ...policyFields };

const HttpTool = z
  .strictObject({
    ...toolFields,
    parameters: Schema,
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: z
      .string()
      .regex(
        /^https?:\/\/[^/{}]+(\/|$)/,
        'must begin with http:// or https://, a host and a path, without {{ }} before the path',
      )
      .refine(
        (text) => isParsable(() => parseSegments(text, ['args'])),
        'must be a text with {{ }} around expressions over args',
      ),
    headers: z.record(z.string(), SecretOrText).optional(),
  })
  .refine(isExecutionAllowed, EXECUTION_PROBLEM);

const CodeTool = z
  .strictObject({
    ...toolFields,
    parameters: Parameters,
    /** Names of the secrets that the code may use. */
    secrets: z.array(z.string()).default([]),
    execute: code<(args: unknown, context: CodeToolContext) => unknown>(),
  })
  .refine(isExecutionAllowed, EXECUTION_PROBLEM)
  .transform(({ parameters, ...tool }) => ({ ...tool, ...parameters }));

export type HttpToolInput = z.input<typeof HttpTool>;
/** A tool of a checked configuration; one of an MCP server is complete already. */
export type ToolConfig = z.output<typeof HttpTool> | z.output<typeof CodeTool> | ReadyTool;

export const Tool = readAs<ToolConfig>((value) => ('execute' in value ? CodeTool : HttpTool));

function isParsable(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
