// A preview in a real browser: it waits for the program, reloads into it, and holds its WebSocket; other origins stay apart.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startChromium } from "../support/chromium.ts";
import { connect } from "../support/clients.ts";
import { startServer } from "../support/start-server.ts";

const devServer = readFileSync(join(import.meta.dirname, "dev-server.mjs"), "utf8");
const browser = await startChromium();

test.skipIf(browser === null)("a browser waits for a dev server, and then has its page and WebSocket", async () => {
  if (browser === null) return;
  const server = await startServer();
  const client = await connect("2026", server);
  try {
    await client.call("exec", { command: "cat > dev-server.mjs", stdin: devServer });
    const expose = async (port: number) =>
      String((await client.call("sandbox", { action: "expose", port })).structured?.["url"]);
    const url = await expose(4000);
    const page = await browser.open(url);
    await expect.poll(() => page.evaluate("document.title")).toBe("Nothing listens on port 4000 yet");

    await client.call("exec", { command: "exec node dev-server.mjs 4000", background: true });
    await expect.poll(() => page.evaluate("document.title"), { timeout: 15_000 }).toBe("re: from the page");
    expect(await page.evaluate("document.getElementById('out').textContent")).toBe(
      "hello from localhost:4000, origin http://localhost:4000 / re: from the page / ",
    );

    // What a page can set and reach, by every means it has.
    expect(
      await page.evaluate("document.cookie = 'mine=1; domain=localhost'; document.cookie = 'own=1'; document.cookie"),
    ).toBe("own=1");
    const other = await browser.open(await expose(4001));
    await expect.poll(() => other.evaluate("document.cookie")).toBe("");
    await page.evaluate(
      `fetch("${server.origin.replace("127.0.0.1", "localhost")}/health").then((r) => r.text(), () => "refused").then((said) => { window.said = said; })`,
    );
    await expect.poll(() => page.evaluate("window.said")).toBe("refused");
  } finally {
    await client.close();
    await server.stop();
    await browser.close();
  }
});
