// Says what about an entry changed besides its contents.

import { ENTRY_KINDS } from "./entry.ts";

/** "mode 644 -> 600, owner 0:0 -> 1000:1000"; empty when only contents or times changed. `before` and `after` are metas. */
export function describeChange(before: string, after: string): string {
  const [oldType = "", oldMode, , , oldUser, oldGroup] = before.split(" ");
  const [type = "", mode, , , user, group] = after.split(" ");
  const changes: string[] = [];
  if (oldType !== type) changes.push(`${ENTRY_KINDS[oldType]} -> ${ENTRY_KINDS[type]}`);
  else if (oldMode !== mode) changes.push(`mode ${oldMode} -> ${mode}`);
  if (oldUser !== user || oldGroup !== group) changes.push(`owner ${oldUser}:${oldGroup} -> ${user}:${group}`);
  return changes.join(", ");
}

/** Whether the contents may differ: a file or a link whose type, size or modification time does. */
export function mayDifferInside(before: string, after: string): boolean {
  const [oldType, , oldTime, oldSize] = before.split(" ");
  const [type, , time, size] = after.split(" ");
  return oldType !== type || (type !== "d" && (oldTime !== time || oldSize !== size));
}
