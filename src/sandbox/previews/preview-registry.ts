// Exposes ports of one sandbox as previews, and removes previews.

import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { AdminRequest, Preview } from "../admin-actions.ts";
import type { PreviewDirectory } from "./preview-directory.ts";
import { formatPreviewLabel, newPreviewToken, parsePreviewLabel } from "./preview-label.ts";
import type { PreviewTable } from "./preview-table.ts";

export class PreviewRegistry {
  readonly #table: PreviewTable;
  readonly #directory: PreviewDirectory;
  readonly #objectName: string;

  /** `objectName` is the name of the sandbox's Durable Object, to which the tokens lead. */
  constructor(table: PreviewTable, directory: PreviewDirectory, objectName: string) {
    this.#table = table;
    this.#directory = directory;
    this.#objectName = objectName;
  }

  /** A port that is already exposed keeps its token. */
  async expose({ port, wake, command, expires_in_ms }: AdminRequest<"expose">): Promise<Result<Preview>> {
    const existing = this.#table.at(port, Date.now());
    if (existing === null && this.#table.list(Date.now()).length >= limits.previewsMax) return tooMany;
    const token = (existing === null ? null : parsePreviewLabel(existing.label)?.token) ?? newPreviewToken();
    const preview = { port, wake, command, expires_at: Date.now() + expires_in_ms };
    await this.#directory.assign(token, this.#objectName, preview.expires_at);
    this.#table.put(token, preview);
    return succeed({ ...preview, label: formatPreviewLabel({ port, token }) });
  }

  async unexpose(port: number): Promise<Result<Preview>> {
    const preview = this.#table.at(port, Date.now());
    if (preview === null) return fail({ reason: "not_found", kind: "preview", name: String(port) });
    // From here on the preview is invalid, even if the directory still has its token.
    this.#table.delete(port);
    const token = parsePreviewLabel(preview.label)?.token;
    if (token !== undefined) await this.#directory.revoke(token);
    return succeed(preview);
  }

  /** Removes all previews, and resolves to their number. */
  async unexposeAll(): Promise<number> {
    const previews = this.#table.list(Date.now());
    for (const { port } of previews) await this.unexpose(port);
    return previews.length;
  }
}

const tooMany = fail({
  reason: "quota_exceeded",
  subject: "previews of a sandbox",
  limit: limits.previewsMax,
  advice: 'Take one back: sandbox {action: "unexpose", port: …}.',
});
