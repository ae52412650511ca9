import { useEffect, useRef, type ReactNode } from 'react';

interface PageProps {
  readonly title: string;
  /** Beside the title: a state, buttons. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

let shown = false;

/** A page: names the tab, and moves the focus to its heading when it comes, so that a screen reader hears where it is. */
export function Page({ title, aside, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · AdaOS console`;
  }, [title]);
  useEffect(() => {
    // Not at the first page of all: the browser has put the focus where it belongs.
    if (shown) {
      heading.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    shown = true;
  }, []);
  return (
    <>
      <header className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </header>
      {children}
    </>
  );
}

/** A titled part of a page. */
export const Panel = ({ title, aside, children }: PageProps) => (
  <section className="panel">
    <header className="panel-head">
      <h2>{title}</h2>
      {aside}
    </header>
    {children}
  </section>
);

/** Names and values. */
export const Facts = ({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="facts">
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
