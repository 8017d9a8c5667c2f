import type { NodeOfType } from '../definition.ts';
import { compileJsonSchema } from '../json-schema.ts';
import type { SchemaCheck } from '../json-schema.ts';
import { own } from '../json.ts';
import type { Json } from '../json.ts';
import type { TaskFailure } from '../scope.ts';
import { field, policyOf } from './node-scope.ts';
import type { NodeScope } from './node-scope.ts';
import { failed } from './runner.ts';
import type { NodeRunner } from './runner.ts';
import { afterCall } from './after-call.ts';

/** One call of a tool; what it answers is the node's result. */
export function compileTool(node: NodeOfType<'tool'>, scope: NodeScope): NodeRunner {
  const tool = own(scope.catalog.tools, node.tool);
  if (!tool) return { start: () => failed(toolNotFound(node.tool)), resume: () => failed(toolNotFound(node.tool)) };
  const args = field('args', node.args, {});
  const check = compileJsonSchema(tool.parameters);
  const request = { kind: 'tool', tool: node.tool, effect: tool.effect, policy: policyOf(node, tool, scope) } as const;
  return {
    start(task) {
      const filled = args.fill(task.bindings);
      const problem = checkArguments(node.tool, filled, check);
      if (problem) return failed(problem);
      return { kind: 'open', position: { kind: 'call', key: task.call(0, { ...request, args: filled }) } };
    },
    resume: afterCall,
  };
}

function checkArguments(tool: string, args: Json, check: SchemaCheck): TaskFailure | null {
  const [first] = check(args);
  if (!first) return null;
  const message = `The arguments of ${tool} break its parameters at ${first.path || '/'}: ${first.message}`;
  return { callFailed: false, error: { code: 'INVALID_TOOL_ARGUMENTS', message } };
}

function toolNotFound(tool: string): TaskFailure {
  return { callFailed: false, error: { code: 'TOOL_NOT_FOUND', message: `Tool not found: ${tool}` } };
}
