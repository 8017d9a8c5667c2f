import type { Catalog, ToolEntry } from '../../graph/definition/index.ts';
import { mapPage, toPage } from '../../store/page.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import { findSwitchedOff } from '../../store/known-overrides.ts';
import { GRAPH_READERS } from '../http/authenticate.ts';
import { readPageByCursor } from '../http/paging.ts';
import { routes, tagged } from '../middleware/route.ts';
import { PageQuery, jsonAnswer } from '../schemas/common.ts';
import { ToolListSchema } from '../schemas/tool.ts';
import type { ToolJson } from '../schemas/tool.ts';

const toolsTag = tagged('tools');

const listToolsRoute = toolsTag.get('/api/tools', GRAPH_READERS, {
  id: 'listTools',
  summary: 'Every tool that is registered, by name, and what the installation says of it',
  query: PageQuery,
  answers: { 200: jsonAnswer(ToolListSchema, 'A page of tools') },
  handle: (deps) => async (c) => {
    const asked = { list: ['tools'], ...c.req.valid('query') };
    const { tenantId } = c.get('caller');
    const overrides = await deps.store.overrides.now();
    const offFor = (name: string): ToolJson['switchedOff'] => {
      const off = findSwitchedOff(overrides, { kind: 'tool', name }, tenantId);
      return off && { reason: off.reason, since: off.changedAt };
    };
    const page = await readPageByCursor(deps.cursors, asked, async (request) =>
      listTools(deps.catalog, offFor, request),
    );
    return c.json({ ...page, warnings: [...deps.toolWarnings] }, 200);
  },
});

/** Routes of tools. */
export const toolRoutes = routes(listToolsRoute);

/** @param offFor returns the switch of a tool that is off; `null` for others */
function listTools(
  catalog: Catalog,
  offFor: (name: string) => ToolJson['switchedOff'],
  { limit, after }: PageRequest,
): Page<ToolJson> {
  const rest = Object.entries(catalog.tools)
    .filter(([name]) => after === undefined || name > after.id)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const page = toPage(rest, limit, ([name]) => ({ at: '', id: name }));
  return mapPage(page, ([name, tool]) => ({ ...toToolJson(name, tool, catalog.defaults), switchedOff: offFor(name) }));
}

function toToolJson(name: string, tool: ToolEntry, defaults: Catalog['defaults']): Omit<ToolJson, 'switchedOff'> {
  const { description, parameters, effect, approval = null, roles = null, onFailure = 'tell' } = tool;
  const { result = null, taskQueue = null, timeout = defaults.timeout } = tool;
  return { name, description, parameters, result, effect, approval, roles, onFailure, taskQueue, timeout };
}
