// The images' health check: whether the service in this container can do its work.
const url = `http://127.0.0.1:${process.env.HEALTH_PORT}/readyz`;
const ok = await fetch(url, { signal: AbortSignal.timeout(3_000) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(ok ? 0 : 1);
