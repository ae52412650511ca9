import { useEffect, useId, useRef, type ReactNode } from 'react';

interface ConfirmProps {
  readonly title: string;
  /** The act as a verb: “Revoke”. */
  readonly verb: string;
  /** Most acts that are asked about take something away. */
  readonly harmless?: boolean;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** Asks before an act that others feel, and names what will happen. Escape leaves things as they are. */
export function Confirm({
  title,
  verb,
  harmless = false,
  busy,
  onConfirm,
  onCancel,
  children,
}: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="confirm"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
      <div className="confirm-buttons">
        <button type="button" className="button" onClick={onCancel}>
          Keep as it is
        </button>
        <button
          type="button"
          className={harmless ? 'button button-main' : 'button button-danger'}
          onClick={onConfirm}
          disabled={busy}
        >
          {busy ? 'Working…' : verb}
        </button>
      </div>
    </dialog>
  );
}
