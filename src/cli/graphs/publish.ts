import type { Graph } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { option } from '../line/flags.ts';
import { someOperands } from '../line/operands.ts';
import { publishFile } from './publish-file.ts';

export const publish = defineCommand({
  name: 'publish',
  summary: 'publish graphs',
  operands: someOperands('FILE', 'at least one file'),
  about: `Publishes graph definitions (.json, or .ts that exports a graph), in this order. What has not changed keeps its
    version. A file that is refused keeps no other one from being published.`,
  flags: { ...accessFlags(), json: option('prints the published graphs as JSON') },
  exits: { 0: 'all published', 1: 'some definitions have errors', ...API_EXITS },
  async action({ values, given }, terminal) {
    const client = await openClient(values, terminal);
    const published: Graph[] = [];
    for (const file of given) {
      const result = await publishFile(client, file);
      if ('problem' in result) terminal.stderr.write(result.problem);
      else {
        published.push(result.graph);
        if (!values.json) terminal.stdout.write(`${file}: ${result.graph.name}, version ${result.graph.version}\n`);
      }
    }
    if (values.json) terminal.stdout.write(`${JSON.stringify(published, null, 2)}\n`);
    return published.length === given.length ? EXIT.done : EXIT.failed;
  },
});
