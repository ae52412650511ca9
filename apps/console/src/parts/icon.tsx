import type { Tone } from '../text/looks.js';

const SIGNS: Record<Tone, string> = {
  good: 'M3.5 8.5l3 3 6-7',
  warn: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM3.7 3.7l8.6 8.6',
  bad: 'M4 4l8 8M12 4l-8 8',
  busy: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 4.5V8l2.5 1.6',
  quiet: 'M4 8h8',
};

const DRAWINGS = {
  back: 'M10 3L5 8l5 5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  plus: 'M8 3v10M3 8h10',
  refresh: 'M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3',
  out: 'M6.5 2.5h-4v11h4M6 8h7.5M10.5 5l3 3-3 3',
} as const;

const Drawing = ({ path }: { path: string }) => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={path} />
  </svg>
);

/** The sign of a tone, so that a state is told apart without its colour. */
export const Sign = ({ tone }: { tone: Tone }) => <Drawing path={SIGNS[tone]} />;

/** A drawing beside or instead of a label; the control that holds it has the name. */
export const Icon = ({ name }: { name: keyof typeof DRAWINGS }) => <Drawing path={DRAWINGS[name]} />;
