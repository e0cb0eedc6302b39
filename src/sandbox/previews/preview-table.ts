// The previews of one sandbox, at most one for each port. This table decides whether a preview is valid; lookups may be stale.

import type { Preview } from "../admin-actions.ts";
import type { Sql } from "../storage/sql.ts";
import { formatPreviewLabel, type PreviewLabel } from "./preview-label.ts";

export const PREVIEW_TABLE =
  "CREATE TABLE IF NOT EXISTS previews (port INTEGER PRIMARY KEY, token TEXT NOT NULL, wake INTEGER NOT NULL, command TEXT, expires_at INTEGER NOT NULL)";

type Row = { port: number; token: string; wake: number; command: string | null; expires_at: number };

export class PreviewTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns the previews that have not expired, ordered by port. `now` is epoch milliseconds. */
  list(now: number): Preview[] {
    this.#sql.exec("DELETE FROM previews WHERE expires_at <= ?", now);
    return this.#sql.exec<Row>("SELECT * FROM previews ORDER BY port").toArray().map(previewOf);
  }

  at(port: number, now: number): Preview | null {
    return this.list(now).find((preview) => preview.port === port) ?? null;
  }

  /** Finds the preview whose host name has this label. */
  find({ port, token }: PreviewLabel, now: number): Preview | null {
    const label = formatPreviewLabel({ port, token });
    return this.list(now).find((preview) => preview.label === label) ?? null;
  }

  put(token: string, preview: Omit<Preview, "label">): void {
    const { port, wake, command, expires_at } = preview;
    this.#sql.exec(
      "INSERT OR REPLACE INTO previews (port, token, wake, command, expires_at) VALUES (?, ?, ?, ?, ?)",
      ...[port, token, wake ? 1 : 0, command, expires_at],
    );
  }

  delete(port: number): void {
    this.#sql.exec("DELETE FROM previews WHERE port = ?", port);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM previews");
  }
}

const previewOf = ({ port, token, wake, command, expires_at }: Row): Preview => ({
  port,
  label: formatPreviewLabel({ port, token }),
  wake: wake === 1,
  command,
  expires_at,
});
