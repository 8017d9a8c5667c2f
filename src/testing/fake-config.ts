import type { z } from 'zod';
import { MessageProcessors, NodeType } from '../config/code-schemas.ts';
import { Functions } from '../config/define-function.ts';
import type { Config } from '../config/load-config.ts';
import { Tool } from '../config/tool.ts';
import type { ToolConfig } from '../config/tool.ts';
import type { NamesUsed } from '../graph/definition/index.ts';
import { mapValues, own, toPointer } from '../graph/values/index.ts';
import type { Fakes, FunctionFake, ModelFake, NodeTypeFake, ToolFake } from './fakes.ts';
import { toTimedReply } from './scripted-model.ts';
import type { ScriptedModel } from './scripted-model.ts';
import type { SimulatedClock } from '../simulation/timeline.ts';
import { Delayed, withTestClock } from './fake-code.ts';
import type { TimedCode } from './fake-code.ts';

/** A configuration whose models and tools are fakes. */
export interface FakeConfig {
  readonly config: Config;
  readonly models: Readonly<Record<string, TimedCode>>;
  /** The names that the test answers for, by the kind of the call. */
  readonly answered: Readonly<Record<'model' | 'tool' | 'function' | 'node', readonly string[]>>;
  /** The models and tools of the configuration, which do not run. */
  readonly configured: Readonly<Record<'model' | 'tool', readonly string[]>>;
}

/**
 * Puts fakes into a configuration. Models, tools and functions that only the graph names are in it, too, so that the
 * graph is valid; they have no code that answers.
 * @throws Error if the configuration or a fake can't be used
 */
export function toFakeConfig({ base, fakes, used }: FakeSetup, clock: SimulatedClock): FakeConfig {
  const { models = {}, tools = {}, functions = {}, nodeTypes = {}, messageProcessors = {} } = fakes;
  refuseLists({ models, tools, functions, nodeTypes });
  const config: Config = {
    ...base,
    models: { ...forEachName(used.models, () => ({ generate: failWithoutAnswer })), ...base.models },
    tools: configuredTools({ base, fakes, used }, clock),
    functions: configuredFunctions({ base, fakes, used }, clock),
    nodeTypes: nodeTypesOf({ base, fakes, used }, clock),
    messageProcessors: {
      ...base.messageProcessors,
      ...parseFake('messageProcessors', MessageProcessors, messageProcessors),
    },
  };
  return {
    config,
    models: mapValues(models, (fake) =>
      withTestClock(typeof fake === 'function' ? inReplies(fake) : fake.generate, clock),
    ),
    configured: { model: Object.keys(base.models), tool: base.tools.map(({ name }) => name) },
    answered: {
      model: Object.keys(models),
      tool: Object.keys(tools),
      function: Object.keys({ ...base.functions, ...functions }),
      node: [...base.nodeTypes.map(({ name }) => name), ...Object.keys(nodeTypes)],
    },
  };
}

/** @throws TypeError for a list, as a configuration has one of its tools */
function refuseLists(options: Readonly<Record<string, object>>): void {
  for (const [option, fakes] of Object.entries(options))
    if (Array.isArray(fakes))
      throw new TypeError(
        `"${option}" takes an object with the names that the graph uses, such as { name: … }, not a list`,
      );
}

/** Makes a function's answers replies, as those of a script. */
function inReplies(fake: Exclude<ModelFake, ScriptedModel>): (...args: Parameters<typeof fake>) => Promise<unknown> {
  return async (request, context) => {
    const answer = await fake(request, context);
    if (!(answer instanceof Delayed)) return toTimedReply(answer);
    const { delayMs, answer: late } = answer;
    const reply = late instanceof Error ? late : toTimedReply(late);
    return reply instanceof Delayed ? new Delayed(delayMs + reply.delayMs, reply.answer) : new Delayed(delayMs, reply);
  };
}

/** A configuration, the fakes of its code, and the names that a graph uses. */
interface FakeSetup {
  readonly base: Config;
  readonly fakes: Omit<Fakes, 'config'>;
  readonly used: NamesUsed;
}

function configuredTools({ base, fakes: { tools = {} }, used }: FakeSetup, clock: SimulatedClock): Config['tools'] {
  const known = new Map(base.tools.map((tool) => [tool.name, tool]));
  const names = new Set([...used.tools, ...known.keys(), ...Object.keys(tools)]);
  return [...names].map((name) => {
    const tool = known.get(name);
    const facts = { description: '', parameters: true, ...(tool && toolFacts(tool)) };
    return parseFake(`tools/${name}`, Tool, {
      ...facts,
      ...toFakeFields(own<ToolFake>(tools, name) ?? failWithoutAnswer, clock),
      name,
    });
  });
}

/** The facts of a configured tool, its schema included, in the form of a fake. */
function toolFacts(tool: ToolConfig): object {
  if ('url' in tool) {
    const { url: _url, method: _method, headers: _headers, ...facts } = tool;
    return facts;
  }
  if (!('schema' in tool)) return tool;
  const { schema, secrets: _secrets, takes: _takes, coerces: _coerces, strips: _strips, ...facts } = tool;
  return { ...facts, parameters: schema ?? facts.parameters };
}

/** The facts of a configured function, its schemas included, in the form of a fake. */
function functionFacts(registered: Config['functions'][string] | undefined): object {
  if (!registered || !('schema' in registered)) return registered ?? {};
  const { schema, takes: _takes, coerces: _coerces, strips: _strips, ...facts } = registered;
  return { ...facts, parameters: schema ?? facts.parameters };
}

function configuredFunctions(
  { base, fakes: { functions = {} }, used }: FakeSetup,
  clock: SimulatedClock,
): Config['functions'] {
  const faked = mapValues(functions, (fake, name) => ({
    ...functionFacts(own(base.functions, name)),
    ...toFakeFields(fake, clock),
  }));
  const named = forEachName(used.functions, () => ({ execute: failWithoutAnswer }));
  return {
    ...parseFake('functions', Functions, named),
    ...base.functions,
    ...parseFake('functions', Functions, faked),
  };
}

function nodeTypesOf({ base, fakes: { nodeTypes = {} } }: FakeSetup, clock: SimulatedClock): Config['nodeTypes'] {
  const kept = base.nodeTypes.filter(({ name }) => !Object.hasOwn(nodeTypes, name));
  const faked = Object.entries(nodeTypes).map(([name, fake]) => {
    const known = base.nodeTypes.find((type) => type.name === name);
    return parseFake(`nodeTypes/${name}`, NodeType, { ...known, ...toFakeFields(fake, clock), name });
  });
  return [...kept, ...faked];
}

/** The fields of a fake, whose code gets the test's clock. */
function toFakeFields(
  fake: FunctionFake | NodeTypeFake | ToolFake,
  clock: SimulatedClock,
): { readonly execute: TimedCode } {
  return typeof fake === 'function'
    ? { execute: withTestClock(fake, clock) }
    : { ...fake, execute: withTestClock(fake.execute, clock) };
}

/** Stands for the code of a name without a fake; the test fails before it is called. */
function failWithoutAnswer(): never {
  throw new Error('There is no fake');
}

function forEachName<T>(names: readonly string[], toValue: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, toValue(name)]));
}

/** @param where the option of the test, for messages */
function parseFake<T>(where: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `  /${where}${toPointer(path.map(String))}: ${message}`,
  );
  throw new TypeError(`A fake can't be used:\n${problems.join('\n')}`);
}
