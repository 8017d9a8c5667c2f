import { z } from 'zod';
import { readAs, SecretOrText, ToolName } from './fields.ts';
import { policyFields } from './tools.ts';

/* MCP servers, whose tools are offered as `server.tool`. */

/** What the installation says of one tool of a server; it wins over what the server says. */
const McpTool = z.strictObject({
  ...policyFields,
  effect: policyFields.effect.unwrap().optional(),
  /** Another name than the server's own of it. */
  as: ToolName.optional(),
  /** The hash of the description and the schemas that were read and approved; `holdfast mcp` prints it. */
  pin: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'must be a hash such as "holdfast mcp" prints')
    .optional(),
});

const serverFields = {
  /** What it says of how often its tools may be called is believed. */
  trusted: z.boolean().default(false),
  /** The tools that are offered, by the server's names; without it all of them are. */
  tools: z.record(z.string(), McpTool).optional(),
  timeout: policyFields.timeout,
};

const Program = z.strictObject({
  ...serverFields,
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), SecretOrText).default({}),
  cwd: z.string().optional(),
});

const Address = z.strictObject({
  ...serverFields,
  url: z.url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' }),
  headers: z.record(z.string(), SecretOrText).default({}),
});

export type McpServerInput = z.input<typeof Program> | z.input<typeof Address>;
export type McpServerConfig = z.output<typeof Program> | z.output<typeof Address>;

const McpServer = readAs<McpServerConfig>((given) => ('url' in given ? Address : Program));

export const McpServers = z.record(
  z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'must be 1 to 32 letters, digits, _ or -'),
  McpServer,
);
