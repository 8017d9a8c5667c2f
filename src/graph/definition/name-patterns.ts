/** The name of a graph. */
export const GRAPH_NAME = /^[a-z][a-z0-9-]{0,62}$/;

/** The id of a node, or the name of a channel. */
export const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
