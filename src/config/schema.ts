import { z } from 'zod';
import type { JsonSchema } from '../graph/definition.ts';
import { findSchemaProblems } from '../graph/json-schema.ts';

export const Schema = z.custom<JsonSchema>((value) => findSchemaProblems(value).length === 0, 'must be a JSON Schema');
