import { Code } from './words.js';

/** Tools by id. */
export const ToolList = ({ tools }: { tools: readonly string[] }) => (
  <ul className="tool-list">
    {tools.map((tool_id) => (
      <li key={tool_id}>
        <Code>{tool_id}</Code>
      </li>
    ))}
  </ul>
);
