import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, toJson } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';
import { CallError, REFUSED, UNCLEAR } from '../../calls/call-error.ts';
import type { UsedSecrets } from '../../secrets.ts';
import type { Tool, ToolContext } from '../tool.ts';
import type { Connection, Session } from './session.ts';
import { pinOf } from './offer-tools.ts';
import type { ListedTool, OfferedTool } from './offer-tools.ts';
import { toUnreachable, toCallError } from './to-call-error.ts';
import { MAX_BODY_BYTES } from '../../../network/read-body.ts';
import type { ErrorMeaning } from './server-settings.ts';

export interface McpToolDeps {
  readonly connection: Connection;
  readonly secrets: UsedSecrets;
  readonly report: (message: string) => void;
}

/** Creates a tool that calls an MCP server. */
export function createMcpTool(tool: OfferedTool, { connection, secrets, report }: McpToolDeps): Tool {
  const { name, ownName, outputSchema, settings } = tool;
  const { errorMeans = 'perhaps-done' } = settings;
  const shape = { isStructured: outputSchema !== null, errorMeans };
  const checkPin = createPinCheck(tool, report);
  const openChecked = async (): Promise<Session> => {
    const session = await connection.session();
    checkPin(await findTool(session, ownName));
    return session;
  };
  return {
    ...toEntry(tool),
    async execute(args, call) {
      try {
        const session = await call.prepare(openChecked());
        const params = { name: ownName, arguments: isJsonObject(args) ? args : {}, ...metadataOf(tool, call) };
        const result = await session.call(params, call.signal);
        return secrets.redactResult(toJsonResult({ ...shape, result }));
      } catch (thrown) {
        const error = toCallError(thrown, errorMeans);
        throw error.withMessage(secrets.redactMessage(`${name}: ${error.message}`));
      }
    },
  };
}

function toEntry({
  name,
  description,
  parameters,
  outputSchema,
  effect,
  settings,
}: OfferedTool): Omit<Tool, 'execute'> {
  const { timeout, retry, approval, roles, onFailure, taskQueue } = settings;
  const result = outputSchema ?? undefined;
  return { name, description, parameters, result, effect, timeout, retry, approval, roles, onFailure, taskQueue };
}

/** Passes the call key to servers that deduplicate, in the protocol's field for metadata. */
function metadataOf({ effect }: OfferedTool, { key }: ToolContext): { _meta?: { idempotencyKey: string } } {
  return effect === 'keyed' ? { _meta: { idempotencyKey: key } } : {};
}

async function findTool(session: Session, ownName: string): Promise<ListedTool> {
  const listed = await session.tools().catch((error: unknown) => {
    throw toUnreachable(error);
  });
  return listed.get(ownName) ?? refuse('The server has no such tool any more');
}

/** Creates a check that refuses a tool that differs from its pin, and reports changes since the start. */
function createPinCheck(
  { name, pin, settings }: OfferedTool,
  report: (message: string) => void,
): (tool: ListedTool) => void {
  let lastPin = pin;
  return (tool) => {
    const currentPin = pinOf(tool);
    if (currentPin !== lastPin) report(`${name} has changed from ${lastPin} to ${currentPin}`);
    lastPin = currentPin;
    if (settings.pin !== undefined && currentPin !== pin)
      refuse(`It is not what was pinned: the pin is ${pin}, the server's tool has ${currentPin} now`);
  };
}

function refuse(message: string): never {
  throw new CallError('TOOL_FAILED', message, REFUSED);
}

interface Answer {
  /** The tool has an output schema, and must answer with structured content. */
  readonly isStructured: boolean;
  readonly errorMeans: ErrorMeaning;
  readonly result: CallToolResult;
}

/**
 * Converts a tool's answer to JSON: structured content as it is, texts joined, else the list of its parts.
 * @throws CallError if the answer is an error, too large or has no structured content where the tool promises it
 */
function toJsonResult({ isStructured, errorMeans, result }: Answer): Json {
  if (result.isError === true) throw failed(result, errorMeans);
  const value = readValue(result);
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > MAX_BODY_BYTES)
    throw broken('PAYLOAD_TOO_LARGE', `The answer takes ${bytes} bytes; ${MAX_BODY_BYTES} are allowed`);
  if (isStructured && !result.structuredContent)
    throw broken('TOOL_FAILED', 'It has an output schema, but answered without such content');
  return value;
}

/** A server also answers with an error if its code has thrown after the work. */
function failed(result: CallToolResult, errorMeans: ErrorMeaning): CallError {
  const message = `It answered with an error: ${(textOf(result) ?? '').trim()}`;
  return new CallError('TOOL_FAILED', message, errorMeans === 'not-done' ? REFUSED : UNCLEAR);
}

function readValue(result: CallToolResult): Json {
  if (result.structuredContent) return toJson(result.structuredContent);
  if (result.content.length === 0) return null;
  return textOf(result) ?? toJson(result.content);
}

/** The joined texts of an answer; `null` if it has other parts. */
function textOf({ content }: CallToolResult): string | null {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === content.length ? texts.join('\n') : null;
}

function broken(code: 'TOOL_FAILED' | 'PAYLOAD_TOO_LARGE', message: string): CallError {
  return new CallError(code, message, UNCLEAR);
}
