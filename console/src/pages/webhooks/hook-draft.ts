import type { Hook, NewHook } from 'holdfast/client';
import { isMembers } from '../../form/fields.ts';

type Members = Readonly<Record<string, unknown>>;

/** The initial value of the form of a hook. The API does not return a stored secret. */
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

/** Converts the form to the name and the body of a hook. The name of a secret takes precedence over a secret itself. */
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
