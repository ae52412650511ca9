import { Component, type ReactNode } from 'react';

/** Stands in for what threw while it was drawn: the rest of the page stays usable. */
export class Crash extends Component<{ readonly children: ReactNode }, { crashed: boolean }> {
  override readonly state = { crashed: false };

  static getDerivedStateFromError = () => ({ crashed: true });

  override render() {
    if (!this.state.crashed) return this.props.children;
    return (
      <div className="failure" role="alert">
        <p className="failure-title">This page could not be drawn.</p>
        <p>The zone answered something the console does not understand; one of the two is probably newer.</p>
        <p className="failure-facts">
          <button type="button" className="button" onClick={() => location.reload()}>
            Reload the console
          </button>
        </p>
      </div>
    );
  }
}
