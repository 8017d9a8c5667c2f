import { z } from 'zod';
import type { Tool as ReadyTool } from '../activities/tools/tool.ts';
import type { CodeToolContext } from '../activities/tools/code-tool.ts';
import { parseExpression, parseSegments } from '../graph/expression/index.ts';
import { callFields, code, Effect, readAs, Schema, SecretOrText, ToolName } from './fields.ts';
import { Parameters } from './tool-parameters.ts';

/* Tools: HTTP requests as data, and code. */

const Approval = z.union([
  z.enum(['always', 'never']),
  z.strictObject({
    when: z.string().refine((text) => isReadable(() => parseExpression(text, ['args'])), 'must be CEL over args'),
  }),
]);

/** What the installation says of a tool, wherever the tool comes from. */
export const policyFields = {
  ...callFields,
  effect: Effect.default('unsafe'),
  approval: Approval.optional(),
  /** Whose runs may call it. */
  roles: z.array(z.string()).readonly().optional(),
  /** What becomes of a call of an agent that has failed: "tell", "intervene", or another tool's name. */
  onFailure: z.string().optional(),
  taskQueue: z
    .string()
    .regex(/^[^\s,]+$/, 'must be a name without spaces and commas')
    .optional(),
};

const Policy = z.strictObject(policyFields);
export type PolicyInput = z.input<typeof Policy>;

const toolFields = { name: ToolName, description: z.string(), ...policyFields };

const HttpTool = z.strictObject({
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
      (text) => isReadable(() => parseSegments(text, ['args'])),
      'must be a text with {{ }} around expressions over args',
    ),
  headers: z.record(z.string(), SecretOrText).optional(),
});

const CodeTool = z
  .strictObject({
    ...toolFields,
    parameters: Parameters,
    /** Secrets that it may ask for. */
    secrets: z.array(z.string()).default([]),
    execute: code<(args: unknown, context: CodeToolContext) => unknown>(),
  })
  .transform(({ parameters, ...tool }) => ({ ...tool, ...parameters }));

export type HttpToolInput = z.input<typeof HttpTool>;
/** A tool of a checked configuration; one of an MCP server is made already. */
export type ToolConfig = z.output<typeof HttpTool> | z.output<typeof CodeTool> | ReadyTool;

export const Tool = readAs<ToolConfig>((given) => ('execute' in given ? CodeTool : HttpTool));

function isReadable(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
