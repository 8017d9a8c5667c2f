import { expect, test } from 'vitest';
import { readHook, toHookForm } from '../../../../console/src/pages/webhooks/hook-draft.ts';
import { HOOK_EXAMPLE } from '../../../../src/api/schemas/hook.ts';

test('the console’s form of an inbound hook makes a hook that starts runs, or a hook that sends an event to runs', () => {
  const value = {
    id: ' pay ',
    scheme: 'stripe',
    secretName: 'KEY',
    graph: 'g',
    input: { a: 1 },
    run: 'r',
    event: 'paid',
  };
  const of = { scheme: 'stripe', secret: { secret: 'KEY' } };
  expect(readHook({ ...value, does: 'start' })).toEqual({
    id: 'pay',
    hook: { ...of, start: { graph: 'g', input: { a: 1 } } },
  });
  expect(readHook({ ...value, does: 'event' })).toEqual({
    id: 'pay',
    hook: { ...of, event: { run: 'r', name: 'paid' } },
  });
});

test('the console’s form of an inbound hook takes a secret by name or by value', () => {
  expect(readHook({ secret: 'in the open' }).hook.secret).toBe('in the open');
  expect(readHook({ secretName: 'KEY', secret: 'in the open' }).hook.secret).toEqual({ secret: 'KEY' });
  expect(readHook(undefined).hook).toMatchObject({ scheme: 'standard', secret: '' });
});

test('the console’s form of an unchanged inbound hook returns the same hook', () => {
  const { id, hook } = readHook(toHookForm(HOOK_EXAMPLE));
  expect(id).toBe(HOOK_EXAMPLE.id);
  expect(hook).toEqual({ scheme: HOOK_EXAMPLE.scheme, secret: HOOK_EXAMPLE.secret, start: HOOK_EXAMPLE.start });
});
