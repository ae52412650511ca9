import { useRef, useState } from 'react';
import { Icon } from './icon.js';

interface CopyableProps {
  readonly text: string;
  /** Names the text: “bearer”, “configuration”. */
  readonly name: string;
  readonly secret?: boolean;
}

/** A text to take along, with a button that copies it. Where the browser denies the clipboard, the text is selected instead. */
export function Copyable({ text, name, secret }: CopyableProps) {
  const [said, setSaid] = useState('');
  const shown = useRef<HTMLPreElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      if (shown.current) getSelection()?.selectAllChildren(shown.current);
      setSaid('Selected: press Ctrl+C');
    }
  };
  return (
    <div className={secret ? 'copyable copyable-secret' : 'copyable'}>
      <pre ref={shown} tabIndex={0} aria-label={name}>
        {text}
      </pre>
      <button type="button" className="button copyable-button" onClick={() => void copy()}>
        <Icon name="copy" />
        {said || `Copy ${name}`}
      </button>
      <span className="unseen" role="status">
        {said}
      </span>
    </div>
  );
}
