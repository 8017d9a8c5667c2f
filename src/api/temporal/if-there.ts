import { ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { hasGrpcCode } from '../../process/grpc-errors.ts';

/** Awaits an answer about a workflow or schedule. @returns `null`: Temporal has no such one @throws other errors */
export async function ifThere<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (NOT_FOUND.some((type) => error instanceof type) || hasGrpcCode(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

const NOT_FOUND = [ScheduleNotFoundError, WorkflowNotFoundError];
