import { isMembers } from '../../form/fields.ts';

/** The body of a request that sets an alias. */
interface AliasRequest {
  readonly alias: string;
  readonly version: number;
  readonly canary?: { readonly version: number; readonly share: number };
}

/** Converts the form of an alias to a request. The form has the share in percent; a canary without a share gets no runs. */
export function readAlias(value: unknown): AliasRequest {
  const { alias, version, canaryVersion, canaryShare } = isMembers(value) ? value : {};
  return {
    alias: typeof alias === 'string' ? alias.trim() : '',
    version: Number(version),
    ...(typeof canaryVersion === 'number' && {
      canary: { version: canaryVersion, share: (typeof canaryShare === 'number' ? canaryShare : 0) / 100 },
    }),
  };
}
