/** Every bound of the edge in one place: bytes, milliseconds, counts. Tests tighten them through deps. */
export const BOUNDS = {
  /** Request body, counted while it streams in (contracts.md, "HTTP"). */
  body_bytes: 1_048_576,
  /** What is read and thrown away of a body over the limit, so that the client gets to read the refusal. */
  discard_bytes: 8_388_608,
  /** A whole body must have arrived by then, or one slow sender holds a slot for ever. */
  body_timeout_ms: 10_000,
  url_bytes: 4_096,
  headers: 100,
  /** Above the 100 kB bearer of field case F32, so that it gets the same 401 as every other wrong one. */
  header_bytes: 131_072,
  headers_timeout_ms: 10_000,
  request_timeout_ms: 20_000,
  keep_alive_ms: 30_000,
  /** A connection on which nothing moves, while a call runs or an answer is not read; longer than any call, streams send comments. */
  silence_ms: 120_000,
  connections: 2_048,
  /** Of one address (IPv6: /64). At either number the oldest connection without a request makes room. */
  connections_per_address: 512,
  /** Requests served at once; one more is told 503 instead of waiting. */
  in_flight: 512,
  /** Of one address; the other half is for everybody else. */
  in_flight_per_address: 256,
  /** No call is waited for longer, whatever its contract says. */
  call_timeout_ms: 65_000,
  /** What resolve, decision and record may take on top of the tool's own timeout: a router that died must not hold its caller for long. */
  call_margin_ms: 10_000,
  ask_timeout_ms: 5_000,
  ready_timeout_ms: 1_000,
  /** Streams of `subscriptions/listen`: of one lease, and of this replica. They are not among `in_flight`. */
  streams_per_lease: 8,
  /** Of all leases of one subnet: who may issue leases must not take the room of all others. */
  streams_per_subnet: 256,
  streams: 512,
  /** Resources one stream may watch. */
  watched: 32,
  /** Bytes a reader may be behind before its stream is cut. */
  stream_backlog_bytes: 65_536,
  /** Below the 30 to 60 s after which idle connections are cut on the way (F08). */
  stream_comment_ms: 15_000,
  /** All bearers with a stream are asked about this often; one that was not vouched for in `standing_ms` is ended (D5). */
  standing_every_ms: 500,
  standing_ms: 2_000,
  standing_timeout_ms: 1_000,
  /** What each of them lists is looked at this often, should an event that tells of a change be lost. */
  listed_every_ms: 15_000,
  /** A stop waits this long for answers under way. */
  drain_ms: 10_000,
} as const;
export type Bounds = { readonly [name in keyof typeof BOUNDS]: number };
