import { Link } from './link.js';

interface ChoicesProps {
  readonly name: string;
  readonly current: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly linkTo: (value: string) => string;
}

/** One of a few, each a place of its own. */
export const Choices = ({ name, current, options, linkTo }: ChoicesProps) => (
  <nav className="choices" aria-label={name}>
    {options.map(({ value, label }) => (
      <Link key={value} to={linkTo(value)} aria-current={value === current ? 'true' : undefined}>
        {label}
      </Link>
    ))}
  </nav>
);
