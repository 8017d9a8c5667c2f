import type { ToolEntry } from '../../graph/definition/index.ts';
import { messageOf, toJson, toPointer } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { CallError, findUserStack, REFUSED, UNCLEAR } from '../calls/call-error.ts';
import { withoutSecrets } from '../calls/call-logger.ts';
import { fromCode } from '../calls/classify-failure.ts';
import { useSecrets } from '../secrets.ts';
import type { SecretResolver, UsedSecrets } from '../secrets.ts';
import { validateBy } from './standard-schema.ts';
import type { StandardSchema } from './standard-schema.ts';
import { badArguments } from './tool.ts';
import type { CodeToolContext, Tool } from './tool.ts';

/** A configured tool whose work is code. */
export interface CodeToolSettings extends ToolEntry {
  readonly name: string;
  /** The schema that reads the arguments before any decision; `null` leaves them unchanged. */
  readonly schema: StandardSchema | null;
  /** Names of the secrets that the code may use. */
  readonly secrets: readonly string[];
  readonly execute: (args: unknown, context: CodeToolContext) => unknown;
}

interface CodeToolDeps {
  readonly secrets: SecretResolver;
  /** Reports the progress of the current call. */
  readonly heartbeat: CodeToolContext['heartbeat'];
}

/**
 * Creates a tool whose work is configured code. Its secrets are resolved first, so that an unavailable vault is known
 * to have caused no work. Secrets are removed from its errors and log lines.
 */
export function createCodeTool(settings: CodeToolSettings, { secrets: resolver, heartbeat }: CodeToolDeps): Tool {
  const { schema, secrets: names, execute, ...entry } = settings;
  return {
    ...entry,
    ...(schema && { read: async (args: Json) => await readArgumentsBy(schema, entry.name, args) }),
    async execute(args, { prepare, keepFile: _keepFile, attachFile: _attachFile, ...call }) {
      const used = useSecrets(resolver);
      const values = await prepare(resolveAll(names, used));
      const context = {
        ...call,
        logger: withoutSecrets(call.logger, (text) => used.redact(text)),
        secret: (name: string): string => secretValue(name, values, entry.name),
        heartbeat,
      };
      try {
        return await execute(args, context);
      } catch (thrown) {
        const error = fromCode('TOOL_FAILED', thrown);
        const stack = findUserStack(error);
        const redacted = stack && { ...stack, frames: used.redact(stack.frames) };
        throw error.withMessage(used.redactMessage(error.message), redacted);
      }
    },
  };
}

/** Reads arguments with a schema. The result must be JSON: people see it before the code receives it. */
async function readArgumentsBy(schema: StandardSchema, name: string, args: Json): Promise<Json> {
  const checked = await validateBy(schema, args);
  if (!('value' in checked)) throw badArguments(name, { path: toPointer(checked.path), message: checked.message });
  try {
    return toJson(checked.value);
  } catch (error) {
    const message = `The schema of ${name} makes no JSON of its arguments: ${messageOf(error)}`;
    throw new CallError('INVALID_TOOL_ARGUMENTS', message, { ...REFUSED, cause: error });
  }
}

async function resolveAll(names: readonly string[], used: UsedSecrets): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(names.map(async (name) => [name, await used.resolve({ secret: name })] as const)));
}

function secretValue(name: string, values: ReadonlyMap<string, string>, tool: string): string {
  const value = values.get(name);
  if (value !== undefined) return value;
  const message = `${tool} asks for the secret "${name}", which its configuration does not name in "secrets"`;
  throw new CallError('TOOL_FAILED', message, UNCLEAR);
}
