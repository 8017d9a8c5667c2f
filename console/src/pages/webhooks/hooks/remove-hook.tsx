import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { ActionButton } from '../../../parts/action-button.tsx';
import { hookPath } from './to-hook.ts';

export function RemoveHook({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  return (
    <ActionButton
      label="Remove"
      of={id}
      look="small"
      warning={`Messages to ${id} are refused then.`}
      request={{ method: 'DELETE', path: hookPath(id) }}
      send={async (options) => await client.hooks.remove(id, options)}
      stale={[KEYS.hooks]}
    />
  );
}
