import { createHash } from 'node:crypto';
import { canonicalJson, toJson } from '../../../graph/values/index.ts';
import type { ListedTool } from './list-tools.ts';

/** A hash of all that a server says of a tool and that anybody goes by: models, checks, and its effect. */
export function pinOf({ description, inputSchema, outputSchema, annotations }: ListedTool): string {
  const text = canonicalJson(toJson({ description, inputSchema, outputSchema, annotations }));
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
