import type { Hook, NewHook } from 'holdfast/client';
import { isMembers } from '../../form/fields-of.ts';

type Members = Readonly<Record<string, unknown>>;

/** What the form of a hook begins with. A secret that is stored is not shown. */
export function toHookForm(hook: Hook | null): Members {
  const { id, scheme = 'standard', secret, start, event } = hook ?? {};
  return {
    id,
    scheme,
    secretName: secret?.secret,
    does: event === undefined ? 'start' : 'event',
    graph: start?.graph,
    input: start?.input ?? {},
    run: event?.run,
    event: event?.name,
  };
}

/** Reads the form: the name of the hook, and the hook as the API takes it. A named secret counts before a written one. */
export function readHook(value: unknown): { readonly id: string; readonly hook: NewHook } {
  const { id, scheme, secretName, secret, does, graph, input, run, event } = isMembers(value) ? value : {};
  const of = { scheme: readScheme(scheme), secret: readSecret(secretName, secret) };
  const hook: NewHook =
    does === 'event'
      ? { ...of, event: { run: textOf(run), name: textOf(event) } }
      : { ...of, start: { graph: textOf(graph), input: isMembers(input) ? input : {} } };
  return { id: textOf(id), hook };
}

export const SCHEMES: readonly NewHook['scheme'][] = ['standard', 'github', 'stripe', 'slack'];

function readScheme(given: unknown): NewHook['scheme'] {
  return SCHEMES.find((scheme) => scheme === given) ?? 'standard';
}

function readSecret(name: unknown, secret: unknown): NewHook['secret'] {
  return textOf(name) === '' ? textOf(secret) : { secret: textOf(name) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
