/** The package compiles C++ when it is installed, so the project does not depend on it. */
export const SQLITE_SAVER = '@langchain/langgraph-checkpoint-sqlite';
