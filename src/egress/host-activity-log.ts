// The hosts that one sandbox reached or was refused lately, with counts, in the SQLite of its Durable Object; and the
// refusals that no answer has told of yet.

import * as z from "zod";
import { SeenHost } from "./host-activity.ts";
import type { EgressSettlement } from "./policy-service.ts";
import type { Refusal, RefusedHost } from "./refusal.ts";

/** More hosts than this say nothing to a reader; the oldest are forgotten. */
const SEEN_MAX = 100;

/** Who tells of what was refused to the machine: the answers of the tools that run commands in it. */
export const MACHINE = "machine";

/** What is used of the SQLite of a Durable Object. */
export interface Sql {
  exec(query: string, ...bindings: (string | number)[]): { one(): Row; toArray(): Row[] };
}
type Row = Record<string, unknown>;

export class SeenHosts {
  readonly #sql: Sql;
  /** Refusals that no answer has told of yet, by teller, and by host and reason. A teller is the machine or one run of an isolate. */
  readonly #untold = new Map<string, Map<string, RefusedHost>>();

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS egress (host TEXT, port INTEGER, verdict TEXT, count INTEGER, bytes INTEGER, last_at INTEGER, PRIMARY KEY (host, port, verdict))",
    );
  }

  add({ host, port, teller, verdict, bytes }: EgressSettlement): void {
    if (verdict !== "allowed" && verdict !== "unreachable") this.#keep(teller, host, verdict);
    const inserted = this.#sql.exec(
      "INSERT INTO egress VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE SET count = count + 1, bytes = MIN(bytes + excluded.bytes, ?), last_at = excluded.last_at RETURNING count",
      // A larger sum is no number any more.
      ...[host, port, verdict, bytes, Date.now(), Number.MAX_SAFE_INTEGER],
    );
    if (inserted.one()["count"] !== 1) return;
    this.#sql.exec(
      "DELETE FROM egress WHERE rowid NOT IN (SELECT rowid FROM egress ORDER BY last_at DESC LIMIT ?)",
      SEEN_MAX,
    );
  }

  list(): SeenHost[] {
    return z.array(SeenHost).parse(this.#sql.exec("SELECT * FROM egress ORDER BY last_at DESC").toArray());
  }

  /** Each refusal is told of once. */
  takeRefused(teller: string): RefusedHost[] {
    const refused = [...(this.#untold.get(teller)?.values() ?? [])];
    this.#untold.delete(teller);
    return refused;
  }

  clear(): void {
    this.#sql.exec("DELETE FROM egress");
    this.#untold.clear();
  }

  #keep(teller: string, host: string, why: Refusal): void {
    const hosts = this.#untold.get(teller) ?? new Map<string, RefusedHost>();
    const key = `${why} ${host}`;
    const known = hosts.get(key);
    if (known !== undefined) known.count += 1;
    else if (hosts.size < SEEN_MAX) hosts.set(key, { host, why, count: 1 });
    this.#untold.set(teller, hosts);
    // A run that was given up does not ask; the machine's next command does.
    const oldest = [...this.#untold.keys()].find((other) => other !== MACHINE);
    if (this.#untold.size > SEEN_MAX && oldest !== undefined) this.#untold.delete(oldest);
  }
}
