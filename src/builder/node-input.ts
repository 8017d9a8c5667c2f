import type { CustomNodeDefinition, END, NodeOfType, NodeType, START } from '../graph/definition/index.ts';
import type { ChannelName, Writes } from './channel-update.ts';

/**
 * A node as `addNode` takes it. A type of the language has that type's fields and no others; any other type is one that
 * is registered by code and may have fields of its own.
 */
export type NodeInput<Type extends string, C> = { readonly type: Type } & (Type extends NodeType
  ? WithChannels<NodeOfType<Type>, C>
  : WithChannels<CustomNodeDefinition, C> & { readonly type: Type });

/** The same fields, but channels must be declared ones. */
type WithChannels<Node, C> = {
  readonly [Field in keyof Node]: Field extends keyof ChannelFields<C> ? ChannelFields<C>[Field] : Node[Field];
};

interface ChannelFields<C> {
  readonly write: ChannelName<C> | Writes<C>;
  readonly onError: 'intervene' | { readonly to: string; readonly write?: Writes<C> };
  readonly messages: ChannelName<C>;
  readonly calls: ChannelName<C>;
}

/** A name that is not taken yet; names that the compiler does not know are checked when they are added. */
export type NewName<New extends string, Taken> = string extends Taken ? New : Exclude<New, Taken>;

/** The id of a node to add. */
export type NewId<New extends string, Id> = NewName<New, Id | typeof START | typeof END>;
