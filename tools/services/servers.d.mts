interface Server {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly dir: string;
  /** Removes the directory too unless it was given. */
  stop(): Promise<void>;
}

interface ServerOptions {
  /** 0 (default): any free one. */
  readonly port?: number;
  /** Default: a temporary one. */
  readonly dir?: string;
  /** Goes on when this process ends. */
  readonly detached?: boolean;
}

/** `config_text`: natsServerConfig(); `env`: the passwords it names. Address, port and store directory are overruled, the monitoring port left out. */
export function startNats(
  options?: ServerOptions & {
    readonly config_text?: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<Server>;
export function startRedis(options?: ServerOptions): Promise<Server>;
export function startPostgres(
  options?: ServerOptions,
): Promise<Omit<Server, 'url'> & { readonly admin_url: string }>;

/** A role and a database of their own on the server found, or on a private one. */
export function ensurePostgres(options?: {
  readonly database_url?: string;
  readonly private_server?: boolean;
}): Promise<{
  readonly url: string;
  readonly pid: number | null;
  drop(): Promise<void>;
  stop(): Promise<void>;
}>;

/** One sentence for whoever asked. */
export class ServiceError extends Error {}
