// The one prompt: how a model works on a repository with the tools of this server.

import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    "work_on_repository",
    {
      title: "Work on a repository",
      description: "Clones a repository into the sandbox, does a task in it and checks the result",
      argsSchema: z.object({
        repository: z.string().describe("URL to clone, such as https://github.com/owner/name"),
        task: z.string().describe("What to do in the repository"),
      }),
    },
    ({ repository, task }) => ({
      messages: [{ role: "user", content: { type: "text", text: formatPrompt(repository, task) } }],
    }),
  );
}

const formatPrompt = (
  repository: string,
  task: string,
): string => `Work on this repository in the sandbox: ${repository}

The task:
${task}

How to proceed:
1. Clone it below /workspace with exec (git clone --depth 50 <url>), unless it is already there. Read its README and its instructions for contributors.
2. Explore it with search: mode names for paths, content with before and after for code. Read files with file read.
3. Change files with file edit, which replaces exact text and shows the difference; create new ones with file write. Do not change files with sed or heredocs.
4. Install what the project needs and run its tests with exec. A command that takes longer than a minute keeps running and returns a process_id: read on with process read, and do not start it again. Start servers with background: true.
5. When something fails, read the whole message; the answer names the file with the full log.
6. At the end run the project's own checks once more, look at git diff, and report what you changed, why, and what you checked.`;
