import type { Command } from 'commander';
import { readConfig } from './config.js';
import { connectionOf, isLoopback, type ConnectionFlags } from './connection.js';
import type { Io } from './io.js';
import { createOutput, type Mode, type Output } from './output.js';
import type { Screen } from './screen/screen.js';
import { createApi, type Api } from './zone-api/api.js';

/** Milliseconds a request may take unless --timeout says otherwise. */
const DEFAULT_TIMEOUT_MS = 15_000;

/** Options every command takes; names as commander makes them of the flags. */
export interface GlobalOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly dataDir?: string;
  readonly timeout?: number;
  readonly json?: boolean;
  readonly color: boolean;
}

/** What an action works with. */
export interface Context {
  readonly io: Io;
  readonly output: Output;
  readonly screen: Screen;
  readonly json: boolean;
  readonly api: Api;
  /** From --timeout. */
  readonly timeout_ms: number | undefined;
}

/** Opens the context of a command: settings, connection, output. `mode` is what `--json` means for it. */
export type Open = (command: Command, json_mode?: Mode) => Context;

export const opener =
  (io: Io, useOutput: (output: Output) => void): Open =>
  (command, json_mode = 'json') => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const config = readConfig(io.env);
    const json = options.json === true;
    const output = createOutput(io, { mode: json ? json_mode : 'text', color: options.color, config });
    useOutput(output);
    const flags: ConnectionFlags = {
      url: options.url,
      token_file: options.tokenFile,
      data_dir: options.dataDir,
    };
    const timeout_ms = options.timeout;
    const connect = (): Api => {
      const connection = connectionOf(flags, config, io.cwd);
      const { url, token } = connection;
      if (token !== null && url.protocol === 'http:' && !isLoopback(url)) {
        output.remark(`warning: ${url.origin} is plain http; the token travels unencrypted.`);
      }
      return createApi({ connection, signal: io.signal, timeout_ms: timeout_ms ?? DEFAULT_TIMEOUT_MS });
    };
    let api: Api | undefined;
    return {
      io,
      output,
      screen: output.screen,
      json,
      // What works on files alone needs no zone.
      get api() {
        return (api ??= connect());
      },
      timeout_ms,
    };
  };
