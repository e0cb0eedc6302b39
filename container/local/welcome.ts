// The text that `npm start` prints when it is ready: the URL, the engine, and a configuration to paste for each client.

import type { EngineChoice } from "./engine-choice.ts";

export interface Welcome {
  url: string;
  key: string;
  engine: EngineChoice;
}

/** mcp-remote replaces the names of environment variables in a header with their values. */
const keyVariable = "SANDBOX_MCP_AUTH";

export function formatWelcome({ url, key, engine }: Welcome): string {
  const bearer = `Authorization: Bearer ${key}`;
  const vscode = JSON.stringify({
    servers: { sandbox: { type: "http", url, headers: { Authorization: `Bearer ${key}` } } },
  });
  const cursor = JSON.stringify({ mcpServers: { sandbox: { url, headers: { Authorization: `Bearer ${key}` } } } });
  const desktop = JSON.stringify({
    mcpServers: {
      sandbox: {
        command: "npx",
        // There is no space after the colon because some hosts split arguments at spaces.
        args: ["-y", "mcp-remote", url, "--allow-http", "--header", `Authorization:\${${keyVariable}}`],
        env: { [keyVariable]: `Bearer ${key}` },
      },
    },
  });
  return `
  MCP URL     ${url}
  Access key  ${key}
  Engine      ${engine.name}: ${engine.why}

  Claude Code
    claude mcp add --transport http sandbox ${url} --header "${bearer}"

  Claude Desktop (claude_desktop_config.json)
    ${desktop}

  VS Code (.vscode/mcp.json)
    ${vscode}

  Cursor (~/.cursor/mcp.json)
    ${cursor}

  MCP Inspector
    npx @modelcontextprotocol/inspector --cli ${url} --transport http --header "${bearer}" --method tools/list

  Ctrl-C ends the server and every machine.
`;
}
