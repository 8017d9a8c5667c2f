import { condition, defineQuery, defineSignal, setHandler } from '@temporalio/workflow';

/** The minimal workflow that waits for a decision: a signal, a query, a timer. @returns the decision */
export async function waiting(title: string): Promise<string> {
  let decision = '';
  setHandler(defineSignal<[string]>('decide'), (given) => {
    decision = given;
  });
  setHandler(defineQuery<string>('title'), () => title);
  await condition(() => decision !== '', '7 days');
  return decision;
}
