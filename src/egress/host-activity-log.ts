// The hosts that one sandbox reached or was refused lately, with counts, in the SQLite of its Durable Object; and, in
// memory, the refusals that no answer has reported yet.

import * as z from "zod";
import { HostActivity, hostInLog } from "./host-activity.ts";
import type { EgressSettlement } from "./policy-service.ts";
import type { Refusal, RefusedHost } from "./refusal.ts";

export const EGRESS_TABLE =
  "CREATE TABLE IF NOT EXISTS egress (host TEXT, port INTEGER, verdict TEXT, count INTEGER, bytes INTEGER, last_at INTEGER, PRIMARY KEY (host, port, verdict))";

/** A longer list would not help a reader. The oldest entries are dropped. */
const ENTRIES_MAX = 100;

/** The audience of refusals to the machine: the answers of the tools that run commands in it. */
export const MACHINE_AUDIENCE = "machine";

/** The part of a Durable Object's SQLite that is used here. */
export interface Sql {
  exec(query: string, ...bindings: (string | number)[]): { one(): Row; toArray(): Row[] };
}
type Row = Record<string, unknown>;

export class HostActivityLog {
  readonly #sql: Sql;
  /**
   * Refusals that no answer has reported yet: by audience, then by reason and host. An audience is the machine or one run of
   * an isolate.
   */
  readonly #unreported = new Map<string, Map<string, RefusedHost>>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add({ host: name, port, audience, verdict, bytes }: EgressSettlement): void {
    const host = hostInLog(name);
    if (verdict !== "allowed" && verdict !== "unreachable") this.#addUnreported(audience, host, verdict);
    const inserted = this.#sql.exec(
      "INSERT INTO egress VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE SET count = count + 1, bytes = MIN(bytes + excluded.bytes, ?), last_at = excluded.last_at RETURNING count",
      // A larger sum cannot be read back as an exact number.
      ...[host, port, verdict, bytes, Date.now(), Number.MAX_SAFE_INTEGER],
    );
    if (inserted.one()["count"] !== 1) return;
    this.#sql.exec(
      "DELETE FROM egress WHERE rowid NOT IN (SELECT rowid FROM egress ORDER BY last_at DESC LIMIT ?)",
      ENTRIES_MAX,
    );
  }

  /** Newest first. */
  list(): HostActivity[] {
    return z.array(HostActivity).parse(this.#sql.exec("SELECT * FROM egress ORDER BY last_at DESC").toArray());
  }

  /** Returns each refusal once. */
  drainRefusals(audience: string): RefusedHost[] {
    const refused = [...(this.#unreported.get(audience)?.values() ?? [])];
    this.#unreported.delete(audience);
    return refused;
  }

  clear(): void {
    this.#sql.exec("DELETE FROM egress");
    this.#unreported.clear();
  }

  #addUnreported(audience: string, host: string, reason: Refusal): void {
    const hosts = this.#unreported.get(audience) ?? new Map<string, RefusedHost>();
    const key = `${reason} ${host}`;
    const known = hosts.get(key);
    if (known !== undefined) known.count += 1;
    else if (hosts.size < ENTRIES_MAX) hosts.set(key, { host, reason, count: 1 });
    this.#unreported.set(audience, hosts);
    // An isolate run that was cancelled never asks for its refusals, so old runs are dropped. The machine's next command
    // does ask.
    const oldestRun = [...this.#unreported.keys()].find((other) => other !== MACHINE_AUDIENCE);
    if (this.#unreported.size > ENTRIES_MAX && oldestRun !== undefined) this.#unreported.delete(oldestRun);
  }
}
