import { sourceOf } from '../../graph/definition/index.ts';
import type { Principal } from '../../graph/run/index.ts';
import type { Store } from '../../store/store.ts';
import type { GuardedRequest } from '../http/guarded-request.ts';
import type { GenerateContext } from '../models/model.ts';
import { checkMediaType } from './check-media-type.ts';
import { openFileBudget } from './file-budget.ts';
import { nameOfFile } from './file-error.ts';
import { readLinked } from './read-linked.ts';
import { readStored } from './read-stored.ts';

/** The call whose messages have files. */
export interface PromptOfFiles {
  readonly tenantId: string;
  /** The principal of the run, who must be allowed to read its files. */
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

/** Opens the files of one prompt, which have a budget together. Nothing is read before it is asked for. */
export type OpenPromptFiles = (call: PromptOfFiles) => GenerateContext['readFile'];

interface PromptFilesDeps {
  readonly files: Pick<Store['files'], 'find' | 'read'>;
  /** Sends requests from behind a guard that lets no private host pass. */
  readonly request: GuardedRequest;
}

/** Creates what reads the files of prompts: stored ones, and those at public addresses. */
export function createOpenPromptFiles({ files, request }: PromptFilesDeps): OpenPromptFiles {
  return ({ tenantId, principal, signal }) => {
    const budget = openFileBudget();
    return async (part) => {
      const maxBytes = budget.open();
      const source = sourceOf(part);
      const name = nameOfFile(part);
      const read =
        source.kind === 'blob'
          ? await readStored(files, { id: source.id, tenantId, principal, maxBytes })
          : await readLinked(request, { url: source.url, name, maxBytes, signal });
      if (!read) throw budget.tooLarge(name);
      budget.take(read.bytes.byteLength);
      checkMediaType(part, read);
      return read.bytes;
    };
  };
}
