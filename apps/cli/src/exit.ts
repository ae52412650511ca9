/** Exit codes: what a script may rely on. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unauthenticated: 3,
  away: 4,
  interrupted: 130,
} as const;
export type FailureKind = Exclude<keyof typeof EXIT, 'ok'>;

/** The same, as help shows it. */
export const EXIT_HELP = `
Exit codes:
  0    done; also when Ctrl-C ends events tail
  1    the call was refused or failed
  2    wrong usage: options, arguments, connection settings
  3    unauthenticated: no token, or one that is unknown, expired or revoked
  4    the zone is unreachable, or a part of it is away
  130  interrupted by Ctrl-C`;
