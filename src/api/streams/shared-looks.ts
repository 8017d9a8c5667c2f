import { setImmediate } from 'node:timers/promises';
import type { RunLook, RunLooks } from '../../store/streams/run-looks.ts';

/**
 * Looks at runs for many streams at a time: those that ask for the same part in the same moment share one look. A look
 * that has begun is shared no more, because it may miss what a later one sees.
 */
export function shareLooks(looks: RunLooks): RunLooks {
  const next = new Map<string, Promise<RunLook | null>>();
  return {
    async after(runId, seq) {
      const key = `${seq} ${runId}`;
      const begun =
        next.get(key) ??
        setImmediate().then(() => {
          next.delete(key);
          return looks.after(runId, seq);
        });
      next.set(key, begun);
      return await begun;
    },
  };
}
