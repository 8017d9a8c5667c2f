import type { CustomNodeDefinition, END, NodeOfType, NodeType, START } from '../graph/definition/index.ts';
import type { ChannelName, Writes } from './channel-update.ts';

/** A node for `addNode`. A built-in type has exactly its fields; a type that code registers may have any. */
export type NodeInput<Type extends string, C> = { readonly type: Type } & (Type extends NodeType
  ? WithChannels<NodeOfType<Type>, C>
  : WithChannels<CustomNodeDefinition, C> & { readonly type: Type });

/** The same fields, with declared channels only. */
type WithChannels<Node, C> = {
  readonly [Field in keyof Node]: Field extends keyof ChannelFields<C> ? ChannelFields<C>[Field] : Node[Field];
};

interface ChannelFields<C> {
  readonly write: ChannelName<C> | Writes<C>;
  readonly onError: 'intervene' | { readonly to: string; readonly write?: Writes<C> };
  readonly messages: ChannelName<C>;
  readonly calls: ChannelName<C>;
}

/** A name that is not taken. Names that are unknown at compile time are checked when they are added. */
export type NewName<New extends string, Taken> = string extends Taken ? New : Exclude<New, Taken>;

/** The id of a new node. */
export type NewId<New extends string, Id> = NewName<New, Id | typeof START | typeof END>;
