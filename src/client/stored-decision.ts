import type { Approval } from './answers.ts';
import type { Connection } from './connection.ts';
import { path } from './path.ts';
import type { CallOptions } from './send.ts';

const WITHIN_MS = 5_000;
const EVERY_MS = 100;

/** Waits until a decision is stored, so that reads after it know of it. Reads lag a little behind a run. */
export async function storedDecision(
  { send, timing }: Connection,
  approval: Approval,
  { signal }: CallOptions = {},
): Promise<Approval> {
  const { id, decisions } = approval;
  for (const deadline = timing.now() + WITHIN_MS; timing.now() < deadline; await timing.sleep(EVERY_MS, signal)) {
    const stored = await send.json<Approval>({ method: 'GET', path: path`/api/approvals/${id}` }, { signal });
    if (stored.decisions.length >= decisions.length) break;
  }
  return approval;
}
