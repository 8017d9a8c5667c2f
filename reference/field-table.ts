import { isJsonList, isJsonObject, toTemplateText } from '../src/graph/values/index.ts';
import type { Json } from '../src/graph/values/index.ts';
import { code, table } from './markdown.ts';
import { typeText } from './type-text.ts';

/** Makes a table of the fields of an object's schema. @param isShown chooses fields; all by default */
export function fieldTable(schema: Json | undefined, isShown: (name: string) => boolean = () => true): string {
  if (schema === undefined || !isJsonObject(schema)) return '';
  const { properties, required = [] } = schema;
  if (properties === undefined || !isJsonObject(properties)) return '';
  const needed = isJsonList(required) ? required : [];
  const rows = Object.entries(properties)
    .filter(([name]) => isShown(name))
    .map(([name, field]) => [
      needed.includes(name) ? `${code(name)} (needed)` : code(name),
      typeText(field),
      isJsonObject(field) ? toTemplateText(field['description'] ?? '') : '',
    ]);
  return rows.length === 0 ? '' : table(['field', 'type', 'description'], rows);
}
