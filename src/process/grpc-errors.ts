/** Codes of gRPC's errors (https://grpc.io/docs/guides/status-codes/) that Temporal answers with. */
const GRPC_CODES = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  UNAUTHENTICATED: 16,
} as const;

/** An error of a gRPC client. */
export type GrpcError = Error & { readonly code: number };

/** True for errors of a gRPC client, including errors of its connection. */
export function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

/** True for an error of a gRPC client with the named code. */
export function hasGrpcCode(error: unknown, name: keyof typeof GRPC_CODES): error is GrpcError {
  return isGrpcError(error) && error.code === GRPC_CODES[name];
}

const REFUSAL_STATUSES = ['INVALID_ARGUMENT', 'PERMISSION_DENIED', 'UNIMPLEMENTED', 'UNAUTHENTICATED'] as const;

/** True for refusals, which last until a person changes something: retries are useless. */
export function isGrpcRefusal(error: GrpcError): boolean {
  return REFUSAL_STATUSES.some((name) => hasGrpcCode(error, name));
}
