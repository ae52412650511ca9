/** Why the facade could not listen, as one sentence an operator can act on. */
export class FacadeStartError extends Error {
  override readonly name = 'FacadeStartError';
}

/** Words for the faults of `listen` that happen in practice. */
export function startError(error: NodeJS.ErrnoException, host: string, port: number): FacadeStartError {
  const at = `${host}:${port}`;
  if (error.code === 'EADDRINUSE')
    return new FacadeStartError(
      `${at} is in use by another process; set PORT (npm start: ZONE_PORT) to a free one.`,
    );
  if (error.code === 'EACCES')
    return new FacadeStartError(`No permission to listen on ${at}; ports below 1024 need it.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new FacadeStartError(`${host} is no address of this machine; set HOST to one that is.`);
  }
  return new FacadeStartError(`Could not listen on ${at} (${error.code ?? 'unknown fault'}).`);
}
