import { z } from 'zod';
import { parseBySchemaOf, SecretOrText, ToolName } from './fields.ts';
import { EXECUTION_PROBLEM, isExecutionAllowed, policyFields } from './tool.ts';

/* MCP servers, whose tools are offered as `server.tool`. */

/** Settings of one tool of a server. They take precedence over the server's description. */
const McpTool = z
  .strictObject({
    ...policyFields,
    effect: policyFields.effect.unwrap().optional(),
    /** A name that replaces the server's. */
    as: ToolName.optional(),
    /** The meaning of the tool's errors; `not-done` promises that nothing was done. */
    errorMeans: z.enum(['not-done', 'perhaps-done']).optional(),
    /** The hash of the description and schemas that a person has approved; `holdfast mcp` prints it. */
    pin: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/, 'must be a hash such as "holdfast mcp" prints')
      .optional(),
  })
  .refine(isExecutionAllowed, EXECUTION_PROBLEM);

const serverFields = {
  /** True if the server's hints about its tools' safety count. */
  trusted: z.boolean().default(false),
  /** The offered tools, by their names at the server; by default all of them. */
  tools: z.record(z.string(), McpTool).optional(),
  /** True if processes start without the server; the tools that `tools` names fail as unavailable until it is there. */
  optional: z.boolean().optional(),
  /** The time limit of one attempt. */
  timeout: policyFields.timeout,
};

const McpProgram = z.strictObject({
  ...serverFields,
  /** The program of a server that uses standard input and output. */
  command: z.string().min(1),
  /** Its arguments. */
  args: z.array(z.string()).default([]),
  /** Its environment; a value may be `{ secret: 'NAME' }`. */
  env: z.record(z.string(), SecretOrText).default({}),
  /** Its working folder. */
  cwd: z.string().optional(),
});

const McpAddress = z.strictObject({
  ...serverFields,
  /** The URL of a server that uses streamable HTTP. */
  url: z.url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' }),
  /** The headers of requests; a value may be `{ secret: 'NAME' }`. */
  headers: z.record(z.string(), SecretOrText).default({}),
});

export type McpServerInput = z.input<typeof McpProgram> | z.input<typeof McpAddress>;
export type McpServerConfig = z.output<typeof McpProgram> | z.output<typeof McpAddress>;

const McpServer = parseBySchemaOf<McpServerConfig>((value) => ('url' in value ? McpAddress : McpProgram));

export const McpServers = z.record(
  z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'must be 1 to 32 letters, digits, _ or -'),
  McpServer,
);
