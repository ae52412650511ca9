import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react';
import { go } from '../route.js';

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
  readonly replace?: boolean;
  readonly children: ReactNode;
}

/** A link within the console. A real one: it opens in a new tab, can be copied, and is followed without loading the page anew. */
export function Link({ to, replace, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to, { replace });
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
