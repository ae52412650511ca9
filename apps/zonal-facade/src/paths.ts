/** Where both MCP eras are served, and below which the REST resources lie. */
export const MCP_PATH = '/v1/root/mcp';
