import type { Meaning } from '../../store/memory/meaning.ts';
import { VectorsMissingError } from '../../store/memory/memory-vectors.ts';
import { NotReadyError } from './readiness.ts';

/**
 * Creates a check that the database can hold what memory means.
 * @param meaning `null`: no model is configured for it, and all is well
 * @returns what throws NotReadyError for a database that can't
 */
export function createMeaningCheck(meaning: Meaning | null): () => Promise<void> {
  return async () => {
    await meaning?.check().catch((error: unknown) => {
      throw error instanceof VectorsMissingError ? new NotReadyError(error.message, { cause: error }) : error;
    });
  };
}
