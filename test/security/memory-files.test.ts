// Files in memory are bounded also where no control group can be made: by the size of the only tmpfs of a machine.

import { afterAll, afterEach, expect, it } from "vitest";
import { type EngineUnderTest, removeHomes, startEngine, users } from "../engine/engine-under-test.ts";

let engine: EngineUnderTest;
afterEach(() => engine.close());
afterAll(removeHomes);

it.each(users)("a machine of an engine run by %s has one tmpfs of 256 MiB, and cannot have more", async (user) => {
  engine = await startEngine({ user });
  await engine.startMachine("a");
  const command = `
    df --output=fstype,size,target -B1M -a | awk '$1 == "tmpfs" && $2 > 0 { print $2, $3 }'
    mount -o remount,size=1g /dev/shm 2>/dev/null || echo refused
    head -c 300M /dev/zero >/dev/shm/large 2>/dev/null || stat -c %s /dev/shm/large`;
  expect((await engine.exec("a", command)).output).toBe(`256 /dev/shm\nrefused\n${256 << 20}\n`);
});
