import type { ToolEntry } from '../../definition/catalog.ts';
import {
  completeArguments,
  describeViolation,
  decisiveViolations,
} from '../../definition/node-types/complete-arguments.ts';
import { fieldAt, describeType } from '../../definition/node-types/describe-node.ts';
import type { ArgumentFields } from '../../definition/node-types/node-description.ts';
import { isTemplate } from '../../expression/template.ts';
import { parsePointer, toPointer } from '../../values/json-pointer.ts';
import { compileJsonSchema } from '../../values/json-schema.ts';
import type { SchemaViolation } from '../../values/json-schema.ts';
import { isContainer, own } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { valueAt } from '../../values/value-at.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject, SubjectNode } from '../subject.ts';

/** Finds arguments that a tool does not accept, as far as they are known without filling templates. */
export const givenArguments = defineRule({
  codes: ['INVALID_FIELD'],
  find: (subject) =>
    [...subject.nodes.values()]
      .filter(hasValidFields)
      .flatMap((node) => (node.description.givesArgs ?? []).flatMap((fields) => argumentIssues(subject, node, fields))),
});

/** True if no other rule refuses the node's combination of fields. */
function hasValidFields({ type, fields }: SubjectNode): boolean {
  return (describeType(type)?.findProblems?.(fields) ?? []).length === 0;
}

function argumentIssues(
  { catalog }: ValidationSubject,
  { fields, path }: SubjectNode,
  named: ArgumentFields,
): GraphIssues<'INVALID_FIELD'> {
  const name = fieldAt(fields, named.tool);
  const tool = typeof name === 'string' ? own(catalog.tools, name) : undefined;
  const given = fieldAt(fields, named.args);
  if (!tool || typeof name !== 'string' || given === undefined || isTemplate(given)) return [];
  const args = completeArguments(given, tool);
  return decisiveViolations(compileJsonSchema(tool.parameters)(args), tool)
    .filter((violation) => isIndependentOfTemplates(violation, args))
    .map((violation) => {
      const at = `${path}/${named.args}${violation.path}`;
      return error(
        'INVALID_FIELD',
        at,
        `${name} does not take these arguments: ${describeArgumentViolation(violation, tool)}`,
      );
    });
}

/** Keywords that only depend on the names of members. Templates only occur in values. */
const NAME_KEYWORDS: ReadonlySet<string> = new Set(['required', 'additionalProperties']);

function isIndependentOfTemplates({ path, keyword = '', isTooExpensive }: SchemaViolation, args: Json): boolean {
  if (isTooExpensive) return false;
  return NAME_KEYWORDS.has(keyword) || !containsTemplate(valueAt(args, parsePointer(path)));
}

function describeArgumentViolation(violation: SchemaViolation, tool: ToolEntry): string {
  const message = describeViolation(violation, tool);
  const last = parsePointer(violation.path).at(-1);
  return last === undefined ? message : `${toPointer([last]).slice(1)} ${message}`;
}

function containsTemplate(value: Json | undefined): boolean {
  return isContainer(value) ? Object.values<Json>(value).some(containsTemplate) : isTemplate(value);
}
