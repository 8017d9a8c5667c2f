import type { ApprovalRule, CallSafety, CallSettings } from '../../../graph/definition/index.ts';
import type { TextsOrSecrets } from '../../secrets.ts';

/** What the installation says of one tool of a server. It wins over what the server says. */
export interface McpToolSettings extends CallSettings {
  /** The name that graphs use, after the server's; without one, the server's own name of it. */
  readonly as?: string | undefined;
  readonly effect?: CallSafety | undefined;
  /** The hash of the description and the schemas that somebody has read and approved. */
  readonly pin?: string | undefined;
  readonly approval?: ApprovalRule | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly onFailure?: string | undefined;
  readonly taskQueue?: string | undefined;
}

interface CommonSettings {
  /** What the server says of how often its tools may be called is believed. */
  readonly trusted: boolean;
  /** The tools that are offered, by the server's names; without it all of them are. */
  readonly tools?: Readonly<Record<string, McpToolSettings>> | undefined;
  /** Of calls of tools that say nothing else. */
  readonly timeout?: string | undefined;
}

/** A server that is a program of this machine and speaks over its standard input and output. */
export interface McpProgram extends CommonSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: TextsOrSecrets;
  readonly cwd?: string | undefined;
}

/** A server somewhere else, which speaks streamable HTTP. */
export interface McpAddress extends CommonSettings {
  readonly url: string;
  readonly headers: TextsOrSecrets;
}

export type McpServerSettings = McpProgram | McpAddress;
