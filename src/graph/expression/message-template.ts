import { GraphError } from '../values/errors.ts';
import { toPointer } from '../values/json-pointer.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { withAllowance } from '../values/meter.ts';
import type { Name } from './expression.ts';
import { InvalidTemplateError, parseTemplate } from './template.ts';

/** A message of another system, as templates see it. */
export interface Message {
  readonly body: Json;
  readonly headers: JsonObject;
}

/** A template with the values of a message, or why it can't be filled. */
export type Filled = { readonly filled: Json } | { readonly failure: string };

const NAMES: readonly Name[] = ['body', 'headers'];

/** The price of a whole template; each expression has its own limit besides. */
const MAX_UNITS = 10_000_000;

/** Finds the first fault of a template over messages. @returns the place as a JSON Pointer; `null`: there is none */
export function findTemplateFault(template: Json): { readonly path: string; readonly message: string } | null {
  try {
    metered(() => parseTemplate(template, NAMES, ''));
    return null;
  } catch (error) {
    if (error instanceof InvalidTemplateError)
      return { path: toPointer(error.path.map(String)), message: error.message };
    if (error instanceof GraphError) return { path: '', message: error.message };
    throw error;
  }
}

/** Fills a template without faults from a message. What it makes has at most the bytes that a field may make. */
export function fillFromMessage(template: Json, { body, headers }: Message): Filled {
  try {
    return { filled: metered(() => parseTemplate(template, NAMES, '').fill({ body, headers })) };
  } catch (error) {
    if (error instanceof GraphError) return { failure: error.message };
    throw error;
  }
}

function metered<T>(work: () => T): T {
  return withAllowance('The template', MAX_UNITS, work);
}
