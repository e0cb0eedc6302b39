// The hosts that one sandbox reached or was refused lately, with counts, in the SQLite of its Durable Object; and the
// refusals that no answer has told of yet.

import * as z from "zod";
import type { EgressSettlement } from "./handler.ts";
import type { Refusal, RefusedHost } from "./refusal.ts";
import { SeenHost } from "./seen-host.ts";

/** More hosts than this say nothing to a reader; the oldest are forgotten. */
const SEEN_MAX = 100;

export class SeenHosts {
  readonly #sql: SqlStorage;
  readonly #untold = new Map<string, RefusedHost>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS egress (host TEXT, port INTEGER, verdict TEXT, count INTEGER, bytes INTEGER, last_at INTEGER, PRIMARY KEY (host, port, verdict))",
    );
  }

  add({ host, port, verdict, bytes }: EgressSettlement): void {
    if (verdict !== "allowed" && verdict !== "unreachable") this.#tell(host, verdict);
    const inserted = this.#sql.exec(
      "INSERT INTO egress VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes, last_at = excluded.last_at RETURNING count",
      ...[host, port, verdict, bytes, Date.now()],
    );
    if (inserted.one()["count"] !== 1) return;
    this.#sql.exec(
      "DELETE FROM egress WHERE rowid NOT IN (SELECT rowid FROM egress ORDER BY last_at DESC LIMIT ?)",
      SEEN_MAX,
    );
  }

  /** What became of a request that was counted as allowed. */
  settle(settlement: EgressSettlement): void {
    const { host, port, verdict, bytes } = settlement;
    const [more, fewer] = verdict === "allowed" ? [bytes, 0] : [0, 1];
    this.#sql.exec(
      "UPDATE egress SET bytes = bytes + ?, count = count - ? WHERE host = ? AND port = ? AND verdict = 'allowed'",
      ...[more, fewer, host, port],
    );
    if (verdict === "allowed") return;
    this.#sql.exec("DELETE FROM egress WHERE count = 0");
    this.add(settlement);
  }

  list(): SeenHost[] {
    return z.array(SeenHost).parse(this.#sql.exec("SELECT * FROM egress ORDER BY last_at DESC").toArray());
  }

  /** Each refusal is told of once. */
  takeRefused(): RefusedHost[] {
    const refused = [...this.#untold.values()];
    this.#untold.clear();
    return refused;
  }

  clear(): void {
    this.#sql.exec("DELETE FROM egress");
    this.#untold.clear();
  }

  #tell(host: string, why: Refusal): void {
    const known = this.#untold.get(host);
    if (known !== undefined) known.count += 1;
    else if (this.#untold.size < SEEN_MAX) this.#untold.set(host, { host, why, count: 1 });
  }
}
