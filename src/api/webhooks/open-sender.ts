import type { Sender } from './sender.ts';

/** Creates the sender at its first use, so that API processes without webhooks do not load the HTTP client. */
export function openSender(allow: readonly string[]): () => Promise<Sender> {
  let sender: Promise<Sender> | undefined;
  return async () => await (sender ??= import('./sender.ts').then(({ createSender }) => createSender(allow)));
}
