export const MCP_PATH = "/api/mcp"

/** Where clients learn who gives tokens for it (RFC 9728): the path of the resource comes behind the well-known one. */
export const METADATA_PATH = "/.well-known/oauth-protected-resource"
