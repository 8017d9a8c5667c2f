import type { NodeContext } from '../activities/registered-code.ts';
import type { MessageProcessor } from '../activities/context/message-processor.ts';
import type { ModelRequest } from '../activities/models/model.ts';
import type { CodeToolContext, ToolContext } from '../activities/tools/tool.ts';
import type { DefinedTool } from '../config/tool-methods.ts';
import type { ConfigInput } from '../config/load-config.ts';
import type { CallSettings, FunctionEntry, NodeTypeEntry } from '../graph/definition/index.ts';
import type { Delayed, FakeContext } from './fake-code.ts';
import type { ModelAnswer, ScriptedModel } from './scripted-model.ts';

/** Fakes for all that a graph calls, by the names that the graph uses. */
export interface Fakes {
  /**
   * The configuration of the installation, as in `holdfast.config.ts`. Schemas, approvals, effects, retries and prices
   * are taken from it. Its functions, node types and message processors run. Its models and tools don't: name in
   * `models` and `tools` what answers for them, such as `tools: { lookup_order }` for a tool's own code.
   */
  readonly config?: ConfigInput | undefined;
  /** Models: `scriptedModel([…])`, or a function of the request. */
  readonly models?: Readonly<Record<string, ModelFake>> | undefined;
  /** Tools: a function of the arguments, or a tool of `defineTool`, with its own or another `execute`. */
  readonly tools?: Readonly<Record<string, ToolFake>> | undefined;
  /** Functions, or objects with `execute`. */
  readonly functions?: Readonly<Record<string, FunctionFake>> | undefined;
  /** Node types of your own: functions, or objects with `execute`. */
  readonly nodeTypes?: Readonly<Record<string, NodeTypeFake>> | undefined;
  /** Processors for `context` of nodes. */
  readonly messageProcessors?: Readonly<Record<string, MessageProcessor>> | undefined;
  /** Secrets of tools whose own code runs, by name. Others are `test-NAME`. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
}

/** A script, or a function that answers each request in the form of a script's answers. */
export type ModelFake =
  | ScriptedModel
  | ((request: ModelRequest, context: FakeContext) => ModelFakeAnswer | Promise<ModelFakeAnswer>);

type ModelFakeAnswer = ModelAnswer | Delayed<ModelAnswer | Error>;

/**
 * A function of the arguments, or a tool as `defineTool` gives it, with its own or another `execute`. What it does not state
 * is that of the configured tool, else of a tool that states nothing: any arguments, `effect: 'unsafe'`.
 */
export type ToolFake =
  | FakeFunction<CodeToolContext>
  | (Partial<Omit<DefinedTool, 'execute'>> & ExecutableFake<CodeToolContext>);

export type FunctionFake =
  | FakeFunction<ToolContext>
  | (CallSettings & Partial<FunctionEntry> & ExecutableFake<ToolContext>);

export type NodeTypeFake =
  | FakeFunction<NodeContext>
  | (CallSettings & Partial<NodeTypeEntry> & ExecutableFake<NodeContext>);

/** The test chooses the type of the arguments. */
type FakeFunction<Context> = (args: never, context: Context & FakeContext) => unknown;

interface ExecutableFake<Context> {
  readonly execute: FakeFunction<Context>;
}
