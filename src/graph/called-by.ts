import type { CallRequest } from './effect.ts';
import type { OpenCall } from './run.ts';

/** What a request calls. */
export function calledBy(request: CallRequest): OpenCall['called'] {
  switch (request.kind) {
    case 'model':
      return { kind: 'model', name: request.model };
    case 'tool':
      return { kind: 'tool', name: request.tool };
    case 'function':
      return { kind: 'function', name: request.function };
    case 'node':
      return { kind: 'node', name: request.nodeType };
  }
}
