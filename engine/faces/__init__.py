"""Other faces of a capability: JSON Schema, MCP tool and server, Playwright script, pytest file."""
