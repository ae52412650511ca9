/** As in package.json, which a bundle does not carry along; a test holds the two equal. */
export const VERSION = '0.1.0';
/** What MCP clients are told this server is. */
export const SERVER_INFO = { name: 'adaos-root-mcp', version: VERSION } as const;
