import type { NodePosition } from './position.ts';
import { done, failed } from './runner.ts';
import type { Happening, Progress, TaskContext } from './runner.ts';
import { unexpected } from './unexpected.ts';

/** Ends a task whose only call came back: its value is the result. */
export function afterCall(_task: TaskContext, position: NodePosition, happening: Happening): Progress {
  if (happening.kind === 'call.failed') return failed(happening.failure);
  if (happening.kind === 'call.completed' && happening.reply.kind === 'value') return done(happening.reply.value);
  throw unexpected(position);
}
