import type { GraphDefinition } from '../definition/definition.ts';
import { NO_MARKS, safeText } from './diagram.ts';
import type { DiagramArrow, Diagram, MarkedNodes, DiagramShape, ShapeOutline, NodeMark } from './diagram.ts';
import { toDiagram } from './to-diagram.ts';

/**
 * Draws a definition as a Mermaid flowchart.
 * @param definition one without errors from `validateGraph`
 */
export function toMermaid(definition: GraphDefinition, marks: MarkedNodes = NO_MARKS): string {
  const diagram = toDiagram(definition, marks);
  return ['flowchart TD', ...writeDiagram(diagram, '  '), ...writeClasses(diagram), ''].join('\n');
}

function writeDiagram({ shapes, arrows }: Diagram, indent: string): readonly string[] {
  return [
    ...shapes.flatMap((shape) => writeShape(shape, indent)),
    ...arrows.map((arrow) => `${indent}${writeArrow(arrow)}`),
  ];
}

/** The brackets around the text of a shape. */
const FRAMES: Readonly<Record<ShapeOutline, readonly [string, string]>> = {
  stadium: ['([', '])'],
  circle: ['((', '))'],
  rectangle: ['[', ']'],
  rounded: ['(', ')'],
  doubleCircle: ['(((', ')))'],
  leaningRight: ['[/', '/]'],
  leaningLeft: ['[\\', '\\]'],
  hexagon: ['{{', '}}'],
  flag: ['>', ']'],
  doubleSided: ['[[', ']]'],
  cylinder: ['[(', ')]'],
};

function writeShape({ key, outline, lines, inner }: DiagramShape, indent: string): readonly string[] {
  const text = quoteLabel(lines.join('\n'));
  if (inner) return [`${indent}subgraph ${key} [${text}]`, ...writeDiagram(inner, `${indent}  `), `${indent}end`];
  const [open, close] = FRAMES[outline];
  return [`${indent}${key}${open}${text}${close}`];
}

const ARROW_SYNTAX = { plain: '-->', forEach: '==>', detour: '-.->' } as const;

function writeArrow({ from, to, kind, label }: DiagramArrow): string {
  return label === null
    ? `${from} ${ARROW_SYNTAX[kind]} ${to}`
    : `${from} ${ARROW_SYNTAX[kind]}|${quoteLabel(label)}| ${to}`;
}

const STYLES = {
  join: 'fill:#444,stroke:#444,color:#fff',
  deferred: 'stroke-dasharray:5 3',
  visited: 'fill:#d9f2d9,stroke:#2e7d32,color:#000',
  current: 'fill:#ffe8b3,stroke:#e65100,color:#000,stroke-width:3px',
} as const;

function writeClasses(diagram: Diagram): readonly string[] {
  const shapes = shapesAtAllLevels(diagram);
  const members = {
    join: shapes.filter(({ kind }) => kind === 'join'),
    deferred: shapes.filter(({ isDeferred }) => isDeferred),
    visited: shapes.filter(({ mark }) => mark === 'visited'),
    current: shapes.filter(({ mark }) => mark === 'current'),
  };
  return (['join', 'deferred', 'visited', 'current'] as const).flatMap((name) =>
    members[name].length === 0
      ? []
      : [`  classDef ${name} ${STYLES[name]}`, `  class ${members[name].map(({ key }) => key).join(',')} ${name}`],
  );
}

function shapesAtAllLevels({ shapes }: Diagram): readonly DiagramShape[] {
  return shapes.flatMap((shape) => (shape.inner ? [shape, ...shapesAtAllLevels(shape.inner)] : [shape]));
}

/** Mermaid reads text as Markdown and HTML, so special characters are written as character references. */
const SPECIAL = /[^\w .,()=!?'/+\-\u0080-\uFFFF]|\uFB02|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/gu;
/** The start of a list or a heading in Markdown. */
const AT_LINE_START = /^(\d*)([-+=.)])/;

function quoteLabel(text: string): string {
  const lines = safeText(text).split('\n');
  return `"${lines.map((line) => escapeLine(line.trim())).join('<br/>') || ' '}"`;
}

function escapeLine(line: string): string {
  const [, before = '', mark = ''] = AT_LINE_START.exec(line) ?? [];
  const rest = line.slice(before.length + mark.length);
  return `${before}${mark && characterReference(mark)}${rest.replaceAll(SPECIAL, characterReference)}`;
}

function characterReference(character: string): string {
  return `#${character.codePointAt(0)};`;
}

/**
 * Draws a definition as a PlantUML state diagram.
 * @param definition one without errors from `validateGraph`
 */
export function toPlantUml(definition: GraphDefinition, marks: MarkedNodes = NO_MARKS): string {
  const lines = writePlantUml(toDiagram(definition, marks), '');
  return ['@startuml', 'hide empty description', ...lines, '@enduml', ''].join('\n');
}

/** The start and the end of a state diagram. PlantUML has no names for them. */
const START_OR_END_SYMBOL = '[*]';

function writePlantUml({ shapes, arrows }: Diagram, indent: string): readonly string[] {
  const points = new Set(shapes.filter(({ kind }) => kind === 'start' || kind === 'end').map(({ key }) => key));
  return [
    ...shapes.filter(({ key }) => !points.has(key)).flatMap((shape) => writePlantUmlShape(shape, indent)),
    ...arrows.map((arrow) => `${indent}${writePlantUmlArrow(arrow, points)}`),
  ];
}

function writePlantUmlShape(shape: DiagramShape, indent: string): readonly string[] {
  const { key, kind, lines, inner } = shape;
  if (kind === 'join') return [`${indent}state ${key} <<join>>`];
  const head = `${indent}state "${escapeLabel(lines.join('\n'))}" as ${key}${shapeColors(shape)}`;
  return inner ? [`${head} {`, ...writePlantUml(inner, `${indent}  `), `${indent}}`] : [head];
}

const MARKS: Readonly<Record<NodeMark, string | null>> = {
  none: null,
  visited: 'D9F2D9;line:2E7D32',
  current: 'FFE8B3;line:E65100;line.bold',
};

function shapeColors({ fill, mark, isDeferred }: DiagramShape): string {
  return ` #${MARKS[mark] ?? fill}${isDeferred ? ';line.dashed' : ''}`;
}

const PLANT_UML_ARROWS = { plain: '-->', forEach: '-[bold]->', detour: '-[dashed]->' } as const;

function writePlantUmlArrow({ from, to, kind, label }: DiagramArrow, points: ReadonlySet<string>): string {
  const [source, target] = [from, to].map((key) => (points.has(key) ? START_OR_END_SYMBOL : key));
  const text = label === null ? '' : escapeLabel(label);
  return `${source} ${PLANT_UML_ARROWS[kind]} ${target}${text === '' ? '' : ` : ${text}`}`;
}

/** PlantUML preprocesses text and reads it as Creole, so special characters are written as character references. */
const PLANT_UML_SPECIAL = /[^A-Za-z0-9 .,()=!?+:'_\-\u0080-\u{10FFFF}]|(?<=_)_|(?<=-)-|(?<=')'/gu;
/** The start of a list, a heading or a line in Creole. */
const PLANT_UML_LINE_START = /^[^A-Za-z0-9\u0080-\u{10FFFF}]/u;

function escapeLabel(text: string): string {
  const lines = safeText(text).split('\n');
  return lines.map((line) => escapePlantUmlLine(line.trim())).join('\\n');
}

function escapePlantUmlLine(line: string): string {
  const [first = ''] = PLANT_UML_LINE_START.exec(line) ?? [];
  return `${first && toPlantUmlReference(first)}${line.slice(first.length).replaceAll(PLANT_UML_SPECIAL, toPlantUmlReference)}`;
}

function toPlantUmlReference(character: string): string {
  return `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** The writers of diagrams, by the language of the drawing. */
export const DIAGRAM_WRITERS = { mermaid: toMermaid, plantuml: toPlantUml } as const;

export type DiagramFormat = keyof typeof DIAGRAM_WRITERS;
