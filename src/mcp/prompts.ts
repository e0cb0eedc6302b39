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
        task: z.string().describe("What to do in it"),
      }),
    },
    ({ repository, task }) => ({
      messages: [{ role: "user", content: { type: "text", text: promptText(repository, task) } }],
    }),
  );
}

const promptText = (repository: string, task: string): string => `Work on this repository in the sandbox: ${repository}

The task:
${task}

How to go about it:
1. Clone it below /workspace with exec (git clone --depth 50 <url>), unless it is there already. Read its README and whatever it says for contributors.
2. Find your way with search: mode names for paths, content with before and after for code. Read files with file read.
3. Change files with file edit, which replaces exact text and shows the difference; write new ones with file write. Do not change files with sed or heredocs.
4. Install what the project needs and run its tests with exec. A command that takes longer than a minute goes on and answers with a process_id: read on with process read, and do not start it again. Start servers with background: true.
5. When something fails, read the whole message; the full log is in the file that the answer names.
6. At the end run the project's own checks once more, look at git diff, and tell what you changed, why, and what you checked.`;
