import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { loopOf } from '../steps/chains.ts';

/** Pure steps with a large value in the state that none of them uses. */
export function stepsBeside(steps: number): GraphDefinition {
  const loop = loopOf('pure', steps);
  return { ...loop, channels: { ...loop.channels, held: { default: '' } } };
}

/** A conversation to which each step adds a message. */
export function conversation(steps: number): GraphDefinition {
  return {
    name: 'conversation',
    channels: { count: { default: 0 }, messages: { reducer: 'messages' } },
    nodes: {
      say: {
        type: 'set',
        write: { count: '{{ state.count + 1 }}', messages: [{ role: 'assistant', content: 'Still here.' }] },
      },
    },
    edges: [
      { from: '__start__', to: 'say' },
      { from: 'say', branches: [{ when: `state.count < ${steps}`, to: 'say' }, { to: '__end__' }] },
    ],
    limits: { maxSteps: steps },
  };
}

/** The messages of a conversation so far. */
export function messagesOf(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, at) => ({ id: `m${at}`, role: 'user', content: `Message ${at}` }));
}
