import { relative } from 'node:path';
import { graphFiles } from '../../config/modules/import-graph.ts';
import { loadConfig } from '../../config/load-config.ts';
import { pgliteVersion } from '../../dev/database/open-folder.ts';
import { findTemporal } from '../../dev/open-temporal.ts';
import { formatCount } from '../../graph/values/index.ts';
import { readCatalog } from '../input/read-catalog.ts';
import { readDefinition } from '../input/read-definition.ts';
import { checkDefinition, hasNoErrors } from '../graphs/definitions.ts';
import type { DoctorCheck, Installation } from './doctor-check.ts';

/* The checks of a project and of the stack that `holdfast dev` starts on this machine. */

/** The check of the graphs in the folder of the configuration, by the rules of `holdfast validate`. */
export function graphsCheck({ configFile, environment }: Installation): DoctorCheck {
  return {
    name: 'graphs',
    remedy: 'holdfast validate names each error with its place',
    async find() {
      const { graphs } = await loadConfig(configFile);
      if (!graphs) return 'the configuration names no folder of graphs';
      const files = await graphFiles(graphs.folder);
      // Warnings of the configuration are those of other checks.
      const known = await readCatalog(configFile, { env: environment, stderr: { write: () => undefined } });
      const checked = await Promise.all(
        files.map(async (file) => ({ file, issues: checkDefinition(await readDefinition(file), known) })),
      );
      const wrong = checked.filter(({ issues }) => !hasNoErrors(issues)).map(({ file }) => relative('.', file));
      if (wrong.length > 0) throw new Error(`${formatCount(wrong.length, 'graph')} with errors: ${wrong.join(', ')}`);
      return `${formatCount(files.length, 'graph')} without errors`;
    },
  };
}

/** The servers that the environment names, which `holdfast dev` uses in place of its own. */
interface NamedServers {
  readonly hasDatabase: boolean;
  readonly hasTemporal: boolean;
}

/** The checks of the servers that `holdfast dev` starts itself. */
export function localChecks(
  { environment }: Installation,
  { hasDatabase, hasTemporal }: NamedServers,
): readonly DoctorCheck[] {
  return [
    ...(hasDatabase || hasTemporal ? [] : [POSTGRES_CHECK]),
    ...(hasTemporal ? [] : [temporalCheck(environment)]),
  ];
}

const POSTGRES_CHECK: DoctorCheck = {
  name: 'local PostgreSQL',
  remedy: 'npm install --save-dev @electric-sql/pglite, or set DATABASE_URL to a PostgreSQL that runs',
  async find() {
    const version = pgliteVersion();
    if (version === 'none') throw new Error('@electric-sql/pglite is not installed');
    return `pglite ${version}`;
  },
};

function temporalCheck(environment: NodeJS.ProcessEnv): DoctorCheck {
  return {
    name: 'local Temporal',
    remedy: 'set TEMPORAL_CLI_PATH to the `temporal` executable, or TEMPORAL_ADDRESS to a server that runs',
    find: async () => (await findTemporal(environment)) ?? 'not here yet; holdfast dev downloads or builds it, once',
  };
}
