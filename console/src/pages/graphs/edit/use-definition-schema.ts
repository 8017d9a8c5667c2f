import { useQuery } from '@tanstack/react-query';

const PATH = '/schemas/graph-definition.json';

/** The JSON Schema of definitions, for completions; `null` while it is not there. */
export function useDefinitionSchema(): unknown {
  const { data } = useQuery({
    queryKey: ['definition schema'],
    staleTime: Infinity,
    async queryFn({ signal }): Promise<unknown> {
      const answer = await fetch(PATH, { signal });
      if (!answer.ok) throw new Error(`${PATH} has answered ${answer.status}`);
      return await answer.json();
    },
  });
  return data ?? null;
}
