/** Executes work the given number of times with limited concurrency. */
export async function inTurns(count: number, atATime: number, once: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await once(next++);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}
