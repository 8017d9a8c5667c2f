import { isJsonObject } from '../../../graph/values/index.ts';
import { CallError, REFUSED } from '../../calls/call-error.ts';
import type { UsedSecrets } from '../../secrets.ts';
import type { Tool, ToolContext } from '../tool.ts';
import type { McpConnection, McpSession } from './session.ts';
import { pinOfTool } from './offer-tools.ts';
import type { OfferedMcpTool } from './offer-tools.ts';
import type { ListedTool } from './list-tools.ts';
import { toUnreachableError, toMcpCallError } from './to-call-error.ts';
import { readMcpAnswer } from './read-answer.ts';

export interface McpToolDeps {
  readonly connection: McpConnection;
  readonly secrets: UsedSecrets;
  readonly report: (message: string) => void;
}

/** Creates a tool that calls an MCP server. */
export function createMcpTool(tool: OfferedMcpTool, { connection, secrets, report }: McpToolDeps): Tool {
  const { name, ownName, outputSchema, settings } = tool;
  const { errorMeans = 'perhaps-done' } = settings;
  const shape = { outputSchema, errorMeans };
  const checkPin = createPinCheck(tool, report);
  const openChecked = async (): Promise<McpSession> => {
    const session = await connection.session();
    checkPin(await findTool(session, ownName));
    return session;
  };
  return {
    ...toMcpToolEntry(tool),
    async execute(args, call) {
      try {
        const session = await call.prepare(openChecked());
        const params = { name: ownName, arguments: isJsonObject(args) ? args : {}, ...callMetadata(tool, call) };
        const result = await session.call(params, call.signal);
        return secrets.redactResult(await readMcpAnswer(result, { ...shape, call }));
      } catch (thrown) {
        const error = toMcpCallError(thrown, errorMeans);
        throw error.withMessage(secrets.redactMessage(`${name}: ${error.message}`));
      }
    },
  };
}

function toMcpToolEntry({
  name,
  description,
  parameters,
  outputSchema,
  effect,
  settings,
}: OfferedMcpTool): Omit<Tool, 'execute'> {
  const { timeout, retry, approval, roles, onFailure, taskQueue } = settings;
  const result = outputSchema ?? undefined;
  return { name, description, parameters, result, effect, timeout, retry, approval, roles, onFailure, taskQueue };
}

/** Passes the call key to servers that deduplicate, in the protocol's field for metadata. */
function callMetadata({ effect }: OfferedMcpTool, { key }: ToolContext): { _meta?: { idempotencyKey: string } } {
  return effect === 'keyed' ? { _meta: { idempotencyKey: key } } : {};
}

async function findTool(session: McpSession, ownName: string): Promise<ListedTool> {
  const listed = await session.tools().catch((error: unknown) => {
    throw toUnreachableError(error);
  });
  return listed.tools.get(ownName) ?? refuseCall('The server has no such tool any more');
}

/** Creates a check that refuses a tool that differs from its pin, and reports changes since the start. */
function createPinCheck(
  { name, pin, settings }: OfferedMcpTool,
  report: (message: string) => void,
): (tool: ListedTool) => void {
  let lastPin = pin;
  return (tool) => {
    const currentPin = pinOfTool(tool);
    if (lastPin !== null && currentPin !== lastPin) report(`${name} has changed from ${lastPin} to ${currentPin}`);
    lastPin = currentPin;
    if (settings.pin !== undefined && currentPin !== settings.pin)
      refuseCall(`It is not what was pinned: the pin is ${settings.pin}, the server's tool has ${currentPin} now`);
  };
}

function refuseCall(message: string): never {
  throw new CallError('TOOL_FAILED', message, REFUSED);
}
