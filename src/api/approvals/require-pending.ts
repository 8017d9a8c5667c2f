import { ApiError } from '../http/errors.ts';

/** @throws ApiError 409 */
export function requirePending(status: string): void {
  if (status !== 'pending') throw new ApiError('NOT_ALLOWED_NOW', `The approval is ${status}; nobody is awaited`);
}
