import type { ReactNode } from 'react';

export interface Column<T> {
  readonly name: string;
  /** Narrow columns on the right: counts, times. */
  readonly className?: string;
  /** For a column of buttons: its name is for screen readers only. */
  readonly unseen?: boolean;
  readonly cell: (row: T) => ReactNode;
}

interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly current?: string | null;
  readonly className?: string;
}

/**
 * A table whose rows become cards on a phone. The roles are written out: browsers drop those of a table that is laid out as something
 * else.
 */
export function Table<T>({ caption, columns, rows, keyOf, current, className = '' }: TableProps<T>) {
  return (
    <table className={`table ${className}`} role="table">
      <caption className="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ name, className: of_column, unseen }) => (
            <th role="columnheader" scope="col" key={name} className={of_column}>
              {unseen ? <span className="unseen">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => {
          const key = keyOf(row);
          return (
            <tr role="row" key={key} className={key === current ? 'row-current' : undefined}>
              {columns.map(({ name, className: of_column, cell }) => (
                <td role="cell" key={name} className={of_column} data-name={name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
