import { Context } from '@temporalio/activity';
import { defineConfig, defineTool } from 'holdfast';

const dispatched = defineTool({
  name: 'dispatched',
  description: 'Tells the key under which its call was dispatched',
  parameters: { type: 'object' },
  effect: 'idempotent',
  execute: () => ({ fairnessKey: Context.current().info.priority?.fairnessKey }),
});

/** Each execution of a run ends as soon as possible. */
export default defineConfig({ tools: [dispatched], defaults: { continueAfter: 1 } });
