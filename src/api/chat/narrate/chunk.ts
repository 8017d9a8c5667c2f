import type { Json, JsonObject } from '../../../graph/values/index.ts';

/** A chunk of the AI SDK's UI message stream, version 1. Its clients refuse chunks of types that they do not know. */
export type Chunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: JsonObject }
  | { readonly type: 'start-step' }
  | { readonly type: 'finish-step' }
  | { readonly type: 'text-start'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end'; readonly id: string }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
      readonly dynamic: true;
      readonly title?: string;
      /** What a client keeps with the call, and sends back with a decision. */
      readonly providerMetadata?: { readonly holdfast: { readonly digest: string } };
    }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: Json;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: 'data-node'; readonly id: string; readonly data: JsonObject; readonly transient: true }
  | { readonly type: 'data-output'; readonly data: Json }
  | {
      readonly type: 'finish';
      readonly finishReason: 'stop' | 'tool-calls';
      readonly messageMetadata: JsonObject;
    }
  | { readonly type: 'abort'; readonly reason?: string }
  | { readonly type: 'error'; readonly errorText: string };
