/** Temporal waits 30 s for a task. Code that works this long ends its process before. */
const WAITS_LONG_MS = 20_000;

/** Waits for the answer to a task. @param waits is called once when the answer takes so long that the task is going to time out */
export async function noticeLongWait<Answer>(answer: Promise<Answer>, waits: () => void): Promise<Answer> {
  const timer = setTimeout(waits, WAITS_LONG_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
