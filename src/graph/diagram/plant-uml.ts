import type { GraphDefinition } from '../definition/definition.ts';
import { NO_MARKS, safeText } from './diagram.ts';
import type { Arrow, Diagram, Mark, Marks, Shape } from './diagram.ts';
import { toDiagram } from './to-diagram.ts';

/**
 * Draws a definition as a PlantUML state diagram.
 * @param definition one without errors from `validateGraph`
 */
export function toPlantUml(definition: GraphDefinition, marks: Marks = NO_MARKS): string {
  const lines = writeDiagram(toDiagram(definition, marks), '');
  return ['@startuml', 'hide empty description', ...lines, '@enduml', ''].join('\n');
}

/** The start and the end of a state diagram. PlantUML has no names for them. */
const POINT = '[*]';

function writeDiagram({ shapes, arrows }: Diagram, indent: string): readonly string[] {
  const points = new Set(shapes.filter(({ kind }) => kind === 'start' || kind === 'end').map(({ key }) => key));
  return [
    ...shapes.filter(({ key }) => !points.has(key)).flatMap((shape) => writeShape(shape, indent)),
    ...arrows.map((arrow) => `${indent}${writeArrow(arrow, points)}`),
  ];
}

function writeShape(shape: Shape, indent: string): readonly string[] {
  const { key, kind, lines, inner } = shape;
  if (kind === 'join') return [`${indent}state ${key} <<join>>`];
  const head = `${indent}state "${escape(lines.join('\n'))}" as ${key}${colors(shape)}`;
  return inner ? [`${head} {`, ...writeDiagram(inner, `${indent}  `), `${indent}}`] : [head];
}

const MARKS: Readonly<Record<Mark, string | null>> = {
  none: null,
  visited: 'D9F2D9;line:2E7D32',
  current: 'FFE8B3;line:E65100;line.bold',
};

function colors({ fill, mark, isDeferred }: Shape): string {
  return ` #${MARKS[mark] ?? fill}${isDeferred ? ';line.dashed' : ''}`;
}

const ARROWS = { plain: '-->', forEach: '-[bold]->', detour: '-[dashed]->' } as const;

function writeArrow({ from, to, kind, label }: Arrow, points: ReadonlySet<string>): string {
  const [source, target] = [from, to].map((key) => (points.has(key) ? POINT : key));
  const text = label === null ? '' : escape(label);
  return `${source} ${ARROWS[kind]} ${target}${text === '' ? '' : ` : ${text}`}`;
}

/** PlantUML preprocesses text and reads it as Creole, so special characters are written as character references. */
const SPECIAL = /[^A-Za-z0-9 .,()=!?+:'_\-\u0080-\u{10FFFF}]|(?<=_)_|(?<=-)-|(?<=')'/gu;
/** The start of a list, a heading or a line in Creole. */
const AT_LINE_START = /^[^A-Za-z0-9\u0080-\u{10FFFF}]/u;

function escape(text: string): string {
  const lines = safeText(text).split('\n');
  return lines.map((line) => escapeLine(line.trim())).join('\\n');
}

function escapeLine(line: string): string {
  const [first = ''] = AT_LINE_START.exec(line) ?? [];
  return `${first && toReference(first)}${line.slice(first.length).replaceAll(SPECIAL, toReference)}`;
}

function toReference(character: string): string {
  return `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`;
}
