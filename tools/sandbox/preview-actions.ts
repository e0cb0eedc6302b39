// The actions of the sandbox tool that give a port a URL, and take it back.

import { limits } from "../../src/contract/limits.ts";
import { formatDuration } from "../../src/format/format-duration.ts";
import { parseDuration } from "../../src/format/parse-duration.ts";
import { PreviewPort } from "../../src/sandbox/admin-actions.ts";
import { answerResult, content, refuse } from "../answer.ts";
import { action } from "./context.ts";
import { formatPreview, structurePreview } from "./format-sandbox.ts";

export const expose = action({
  needs: ["port"],
  takes: ["wake", "command", "expires_in"],
  async run({ port, wake, command, expires_in }, { sandbox, view }) {
    if (view.previewUrl === null) return refuse("Previews are off: this deployment has no PREVIEW_DOMAIN.");
    const checked = PreviewPort.safeParse(port);
    if (!checked.success) return refuse(checked.error.issues.map(({ message }) => message).join(" "));
    if (command !== undefined && wake === false)
      return refuse('A "command" is started when the preview wakes the machine: omit wake, or set it to true.');
    const expiresInMs = expires_in === undefined ? limits.previewDefaultMs : parseDuration(expires_in);
    if (expiresInMs === null || expiresInMs < 1 || expiresInMs > limits.previewMaxMs) {
      return refuse(
        `expires_in is "${expires_in}"; send a duration such as "8h", up to ${formatDuration(limits.previewMaxMs)}.`,
      );
    }
    const request = { port, wake: wake ?? command !== undefined, command: command ?? null, expires_in_ms: expiresInMs };
    return answerResult(await sandbox.administer("expose", request), (preview) =>
      content(
        `Exposed ${formatPreview(preview, view)}.\nAnyone with the URL reaches the port, without a key. The program may listen on any address of the machine; remove the URL with unexpose.`,
        { ...structurePreview(preview, view), name: sandbox.name },
      ),
    );
  },
});

export const unexpose = action({
  needs: ["port"],
  takes: [],
  run: async ({ port }, { sandbox }) =>
    answerResult(await sandbox.administer("unexpose", { port }), () =>
      content(`Port ${port} is no longer exposed, and its URL no longer works.`, { name: sandbox.name, port }),
    ),
});
