import type { Context } from '../context.js';
import { toned } from './screen.js';

/** A secret that can't be read again, on a line of its own so that it can be copied whole. */
export function printSecret({ screen }: Pick<Context, 'screen'>, name: string, text: string): void {
  screen.line([`${name},`, toned('strong', 'shown this once:')]);
  screen.line();
  screen.line(text, 2);
  screen.line();
}
