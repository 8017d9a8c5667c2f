import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect } from 'react';

/** Moves the drawing so that a node is seen when the panel beside it takes room. The zoom stays. */
export function KeepInSight({ node }: { readonly node: string | null }): null {
  const { fitView, getZoom } = useReactFlow();
  const width = useStore((store) => store.width);
  useEffect(() => {
    if (node === null || width === 0) return;
    const zoom = getZoom();
    void fitView({ nodes: [{ id: node }], minZoom: zoom, maxZoom: zoom });
  }, [node, width, fitView, getZoom]);
  return null;
}
