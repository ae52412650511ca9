import type { Look } from '../text/looks.js';
import { Sign } from './icon.js';
import { printable } from '../text/printable.js';

/** A state: sign, word and colour. */
export const Badge = ({ look }: { look: Look }) => (
  <span className={`badge badge-${look.tone}`}>
    <Sign tone={look.tone} />
    {printable(look.label)}
  </span>
);

/** A name that is no state: an environment, a profile. */
export const Tag = ({ children }: { children: string }) => <span className="tag">{printable(children)}</span>;
