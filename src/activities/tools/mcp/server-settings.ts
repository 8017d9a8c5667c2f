import type { ApprovalRule, CallSafety, CallSettings } from '../../../graph/definition/index.ts';
import type { TextsOrSecrets } from '../../secrets.ts';

/** The meaning of an error, of the tool or of the protocol, for the tool's work. */
export type ErrorMeaning = 'not-done' | 'perhaps-done';

/** Settings of one tool of a server. They take precedence over the server's description. */
export interface McpToolSettings extends CallSettings {
  /** The tool's name in graphs, after the server's name; by default its name at the server. */
  readonly as?: string | undefined;
  readonly effect?: CallSafety | undefined;
  /** The meaning of an error for the tool's work; by default the work may be done. */
  readonly errorMeans?: ErrorMeaning | undefined;
  /** The hash of the description and schemas that a person has approved. */
  readonly pin?: string | undefined;
  readonly approval?: ApprovalRule | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly onFailure?: string | undefined;
  readonly taskQueue?: string | undefined;
}

interface CommonSettings {
  /** True if the server's hints about its tools' safety count. */
  readonly trusted: boolean;
  /** The offered tools, by their names at the server; by default all of them. */
  readonly tools?: Readonly<Record<string, McpToolSettings>> | undefined;
  /** True if the process starts without the server; its tools fail as unavailable until it is there. */
  readonly optional?: boolean | undefined;
  /** Default time-out of this server's tools. */
  readonly timeout?: string | undefined;
}

/** A server that is a local program and speaks over standard input and output. */
export interface McpProgram extends CommonSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: TextsOrSecrets;
  readonly cwd?: string | undefined;
}

/** A remote server that speaks streamable HTTP. */
export interface McpAddress extends CommonSettings {
  readonly url: string;
  readonly headers: TextsOrSecrets;
}

export type McpServerSettings = McpProgram | McpAddress;
