interface MoreProps {
  readonly of: string;
  readonly loading: boolean;
  readonly load: () => unknown;
}

/** Fetches the next page of a list that is newest first. */
export const More = ({ of, loading, load }: MoreProps) => (
  <p className="more">
    <button type="button" className="button" disabled={loading} onClick={() => void load()}>
      {loading ? 'Loading…' : `Load older ${of}`}
    </button>
  </p>
);
