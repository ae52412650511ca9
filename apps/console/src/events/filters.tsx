import { useId, useState } from 'react';
import type { EventFilter } from '../zone-api/event-filter.js';
import { useToolIds } from '../zone-api/zone.js';
import { EVENT_LOOKS, EVENT_TYPES } from '../text/looks.js';

interface FiltersProps {
  readonly filter: EventFilter;
  readonly onChange: (change: EventFilter) => void;
}

/** Narrows the list; each change is a place of its own, so Back undoes it. */
export function Filters({ filter, onChange }: FiltersProps) {
  const [open] = useState(() => matchMedia('(min-width: 720px)').matches);
  const set = Object.values(filter).filter(Boolean).length;
  const statuses = Object.entries(EVENT_LOOKS).map(([value, { label }]) => ({ value, label }));
  const types = EVENT_TYPES.map((value) => ({ value, label: value }));
  return (
    <details className="filters" open={open}>
      <summary>Filters{set > 0 && ` (${set})`}</summary>
      <div className="filter-fields">
        <Choice
          name="Status"
          value={filter.status}
          options={statuses}
          onChange={(status) => onChange({ status })}
        />
        <Choice
          name="Event type"
          value={filter.type}
          options={types}
          onChange={(type) => onChange({ type })}
        />
        <Field
          name="Tool"
          value={filter.tool}
          options={useToolIds().data}
          onChange={(tool) => onChange({ tool })}
        />
        <Field name="Target" value={filter.target} onChange={(target) => onChange({ target })} />
        <Field name="Lease" value={filter.lease} onChange={(lease) => onChange({ lease })} />
        <Field name="Trace" value={filter.trace} onChange={(trace) => onChange({ trace })} />
      </div>
    </details>
  );
}

interface FieldProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

function Choice({
  name,
  value = '',
  options,
  onChange,
}: FieldProps & { readonly options: readonly { value: string; label: string }[] }) {
  const known = value === '' || options.some((option) => option.value === value);
  return (
    <label className="field">
      {name}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">any</option>
        {!known && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Ids are pasted or typed whole: taken on Enter or when the field is left. */
function Field({
  name,
  value = '',
  options,
  onChange,
}: FieldProps & { readonly options?: readonly string[] }) {
  const list = useId();
  const take = (text: string) => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <label className="field">
      {name}
      <input
        key={value}
        defaultValue={value}
        type="search"
        placeholder="any"
        spellCheck={false}
        autoComplete="off"
        list={options && list}
        onBlur={(event) => take(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && take(event.currentTarget.value)}
      />
      {options && (
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  );
}
