interface LiveProps {
  readonly failing: boolean;
}

/** Is the page looking at the zone now? Said in words; a hidden tab does not look. */
export const Live = ({ failing }: LiveProps) => (
  <span className={failing ? 'live live-failing' : 'live'} role="status">
    <span className="live-dot" aria-hidden="true" />
    {failing ? 'Reconnecting' : 'Live'}
  </span>
);
