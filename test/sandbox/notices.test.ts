// Which notices are due, by what was acknowledged.

import { beforeEach, expect, test } from "vitest";
import { Notices } from "../../src/sandbox/notices.ts";
import { MemoryKv } from "./memory-kv.ts";

let kv: MemoryKv;
let notices: Notices;
beforeEach(() => {
  kv = new MemoryKv();
  notices = new Notices(kv);
});

const due = () => notices.due ?? { id: "", text: null };

test("due is the same text until it is acknowledged, and nothing afterwards", () => {
  expect(notices.due).toBeNull();
  notices.add("restarted");
  expect([due().text, due().text]).toEqual(["restarted", "restarted"]);
  notices.acknowledge(due().id);
  expect(notices.due).toBeNull();
});

test("acknowledge() of the shorter text leaves what was added since", () => {
  notices.add("restarted");
  const { id } = due();
  notices.add("could not be stored");
  expect(due().text).toBe("restarted\ncould not be stored");
  notices.acknowledge(id);
  expect(due().text).toBe("could not be stored");
});

test("acknowledge() of an unknown id, or of one acknowledged before, drops nothing", () => {
  notices.add("restarted");
  const { id } = due();
  notices.acknowledge(id);
  notices.add("restarted again");
  notices.acknowledge(id);
  notices.acknowledge("unknown");
  expect(due().text).toBe("restarted again");
});

test("due is the same in an object that was made anew", () => {
  notices.add("restarted");
  const before = notices.due;
  notices = new Notices(kv);
  expect(notices.due).toEqual(before);
  notices.acknowledge(due().id);
  expect(new Notices(kv).due).toBeNull();
  expect(kv.keys()).toEqual([]);
});

test("add() does not repeat a text that is due, and keeps the last twenty", () => {
  for (let index = 0; index < 30; index += 1) notices.add(`${index}`);
  notices.add("29");
  expect(due().text?.split("\n")).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 10}`));
});

test("clear() drops everything", () => {
  notices.add("restarted");
  notices.clear();
  expect([notices.due, kv.keys()]).toEqual([null, []]);
});
