import type { ToolConfig } from './tool.ts';

/** Values of `onFailure` that are not names of tools. */
const KEYWORDS: ReadonlySet<string> = new Set(['tell', 'intervene']);

interface BadFallback {
  readonly index: number;
  readonly message: string;
}

/**
 * Finds tools whose `onFailure` names a missing tool or leads back to the tool itself.
 * @param isChecked false for names that may become known later
 */
export function findBadFallbacks(
  tools: readonly Pick<ToolConfig, 'name' | 'onFailure'>[],
  isChecked: (name: string) => boolean = () => true,
): readonly BadFallback[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return tools.flatMap(({ name, onFailure }, index) => {
    if (onFailure === undefined || KEYWORDS.has(onFailure)) return [];
    if (byName.has(onFailure)) return leadsBackTo(name, byName) ? [{ index, message: `leads back to "${name}"` }] : [];
    return isChecked(onFailure) ? [{ index, message: 'must be "tell", "intervene" or the name of a tool' }] : [];
  });
}

function leadsBackTo(name: string, tools: ReadonlyMap<string, Pick<ToolConfig, 'onFailure'>>): boolean {
  const seen = new Set<string>();
  for (let next = tools.get(name)?.onFailure; next !== undefined && !seen.has(next);) {
    if (next === name) return true;
    seen.add(next);
    next = tools.get(next)?.onFailure;
  }
  return false;
}
