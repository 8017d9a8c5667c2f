import type { Approval } from './answers.ts';
import type { Connection } from './connection.ts';
import { HoldfastError } from './holdfast-error.ts';
import { path } from './path.ts';
import type { CallOptions } from './send.ts';

const WITHIN_MS = 5_000;
const EVERY_MS = 100;

/**
 * Waits until a decision is stored, so that reads after it know of it. Reads lag a little behind a run.
 * @returns the decided approval, also when it can't be read
 */
export async function storedDecision(
  connection: Connection,
  approval: Approval,
  options?: CallOptions,
): Promise<Approval> {
  try {
    await waitUntilStored(connection, approval, options);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
  }
  return approval;
}

async function waitUntilStored(
  { send, timing }: Connection,
  { id, decisions }: Approval,
  { signal }: CallOptions = {},
): Promise<void> {
  for (const deadline = timing.now() + WITHIN_MS; timing.now() < deadline; await timing.sleep(EVERY_MS, signal)) {
    const stored = await send.json<Approval>({ method: 'GET', path: path`/api/approvals/${id}` }, { signal });
    if (stored.decisions.length >= decisions.length) return;
  }
}
