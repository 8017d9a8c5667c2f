import type { Sender } from './sender.ts';

/** Makes a sender at its first use: most API processes begin without one, and load no client of HTTP. */
export function openSender(allow: readonly string[]): () => Promise<Sender> {
  let sender: Promise<Sender> | undefined;
  return async () => await (sender ??= import('./sender.ts').then(({ createSender }) => createSender(allow)));
}
