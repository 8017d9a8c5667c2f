import { isMembers } from '../../form/fields-of.ts';

/** An alias as the API takes it. */
interface AliasRequest {
  readonly alias: string;
  readonly version: number;
  readonly canary?: { readonly version: number; readonly share: number };
}

/** Reads the form of an alias, whose share is in percent. A canary without a share gets no runs. */
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
