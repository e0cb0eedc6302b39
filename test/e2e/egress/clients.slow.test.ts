// git, gh and npm at work with private hosts, from a machine that has never seen the credential: it is added on the way out.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";
import { type Server, startServer } from "../support/start-server.ts";
import { COMMITS, type GitServer, startGitServer } from "./git-server.ts";
import { githubApi } from "./github-api.ts";
import { npmRegistry } from "./npm-registry.ts";
import { canStandIn, type StandIn, startStandIn } from "./stand-in.ts";

const SECRET = "s3cr3t-9b41d7e2";
const BASIC = `Basic ${Buffer.from(`x-access-token:${SECRET}`).toString("base64")}`;
const BEARER = `Bearer ${SECRET}`;
const TOKEN = `token ${SECRET}`;

const names = ["git.example", "registry.example", "api.github.com", "closed.example"];

if (!canStandIn) console.warn("SKIPPED: clients of private hosts need root, for stand-ins on ports 80 and 443");

describe.skipIf(!canStandIn)("from a machine without the credential", () => {
  let gitServer: GitServer;
  let standIn: StandIn;
  let server: Server;
  let client: McpClient;

  beforeAll(async () => {
    gitServer = startGitServer(BASIC);
    const npm = npmRegistry("registry.example", BEARER);
    standIn = await startStandIn({ routes: { "/private/": gitServer.route, "/npm/": npm, ...githubApi(TOKEN) } });
    server = await startServer({
      env: {
        ...standIn.environment(names),
        EGRESS_SECRETS: JSON.stringify([
          { host: "git.example", path: "/private", secret: "TOKEN", scheme: "basic" },
          { host: "registry.example", path: "/npm", secret: "TOKEN" },
          { host: "api.github.com", secret: "TOKEN", scheme: "token" },
        ]),
        TOKEN: SECRET,
      },
    });
    client = await connect("2026", server);
    await client.call("sandbox", { action: "configure", allow: names });
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
    await standIn?.close();
    gitServer?.close();
  });

  interface Ran {
    output: string;
    code: unknown;
  }
  const run = async (command: string): Promise<Ran> => {
    const { structured, text } = await client.call("exec", { command: `{ ${command}\n} 2>&1` });
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(BASIC.slice("Basic ".length));
    return { output: String(structured?.["stdout"]), code: structured?.["exit_code"] };
  };
  const succeed = async (command: string): Promise<string> => {
    const { output, code } = await run(command);
    expect(code, output).toBe(0);
    return output;
  };

  describe("git", () => {
    const commit = "git -c user.name=test -c user.email=test@example.com commit --quiet --all --message";

    test("clones a private repository, shallow and whole", async () => {
      await succeed("git clone --quiet https://git.example/private/repo.git whole");
      await succeed("git clone --quiet --depth 1 https://git.example/private/repo.git shallow");
      expect(await succeed("git -C whole rev-list --count HEAD; git -C shallow rev-list --count HEAD")).toBe(
        `${COMMITS}\n1\n`,
      );
      expect(standIn.seen.map(({ headers }) => headers["content-encoding"])).toContain("gzip");
      await succeed("git -C shallow fetch --quiet --unshallow");
      expect(await succeed("git -C shallow rev-list --count HEAD")).toBe(`${COMMITS}\n`);
    });

    test("pushes some megabytes in chunks, and fetches them elsewhere", async () => {
      // What does not compress, and is larger than what git sends in one piece.
      await succeed(`cd whole && head -c 5000000 /dev/urandom > blob && git add blob && ${commit} large`);
      standIn.seen.length = 0;
      await succeed("cd whole && git push --quiet origin HEAD:main");
      const pushed = standIn.seen.findLast(({ path }) => path.endsWith("/git-receive-pack"));
      expect(pushed?.headers).toMatchObject({ "transfer-encoding": "chunked", authorization: BASIC });
      expect(await succeed("git -C whole rev-parse HEAD")).toBe(gitServer.git("rev-parse", "main"));
      await succeed("git -C shallow pull --quiet && cmp whole/blob shallow/blob");
    });

    test("pushes a small commit with what the machine believes to be its own credential", async () => {
      await succeed(`cd whole && echo more > small && git add small && ${commit} small`);
      await succeed("cd whole && git push --quiet https://me:mine@git.example/private/repo.git HEAD:main");
      expect(await succeed("git -C whole rev-parse HEAD")).toBe(gitServer.git("rev-parse", "main"));
    });

    test("shows nothing of it: in its configuration, its helpers, or its trace", async () => {
      const trace = await succeed(
        "GIT_TRACE_CURL=1 GIT_TRACE_REDACT=0 git ls-remote https://git.example/private/repo.git",
      );
      expect(trace).toMatch(/=> Send header: GET \/private\/repo\.git\/info\/refs/);
      expect(trace).not.toMatch(/authorization/i);
      expect(await succeed("git -C whole config --list --show-origin; ls -a ~")).not.toMatch(
        /credential|authorization|token/i,
      );
      const { output } = await run(
        "printf 'protocol=https\\nhost=git.example\\n' | GIT_TERMINAL_PROMPT=0 git credential fill",
      );
      expect(output).not.toContain("password=");
    });

    test.each([
      [
        "where no credential is added",
        "https://closed.example/private/repo.git",
        /terminal prompts disabled|could not read Username/,
      ],
      [
        "outside of the credential's path",
        "https://git.example/other/repo.git",
        /not valid: is this a git repository|not found/,
      ],
    ])("fails at once %s, and asks nobody", async (_, url, words) => {
      const { output, code } = await run(`git clone --quiet ${url} none`);
      expect(output).toMatch(words);
      expect(code).toBe(128);
    });
  });

  describe("gh", () => {
    const gh = async (args: string): Promise<string | null> => {
      const { output, code } = await run(`GH_TOKEN=placeholder gh ${args}`);
      if (code === 127) {
        console.warn("SKIPPED: this host has no gh");
        return null;
      }
      expect(code, output).toBe(0);
      return output;
    };

    test.each([
      ["api user --jq .login", "octo\n"],
      ["api repos/octo/private --jq .private", "true\n"],
      ["repo view octo/private --json isPrivate,name", '{"isPrivate":true,"name":"private"}\n'],
      ["pr list --repo octo/private --json number,title", '[{"number":7,"title":"A pull request"}]\n'],
    ])("%s works with a placeholder for a token", async (args, answer) => {
      standIn.seen.length = 0;
      const output = await gh(args);
      if (output === null) return;
      expect(output).toBe(answer);
      expect(new Set(standIn.seen.map(({ headers }) => headers.authorization))).toEqual(new Set([TOKEN]));
    });
  });

  test("npm publishes a scoped package, and installs it", async () => {
    const registry = "--registry https://registry.example/npm/ --fetch-retries 0";
    const manifest = JSON.stringify({ name: "@octo/private", version: "1.2.3", main: "index.js" });
    await succeed(
      `mkdir -p made && cd made && echo '${manifest}' > package.json && echo 'module.exports = 42' > index.js`,
    );
    // npm wants some token before it asks a registry to take anything.
    await succeed(`cd made && npm publish ${registry} --//registry.example/npm/:_authToken=placeholder`);
    await succeed(`mkdir -p using && cd using && npm install --no-audit --no-fund ${registry} @octo/private`);
    expect(await succeed(`cd using && node -p 'require("@octo/private")'`)).toBe("42\n");
    expect(await succeed("cat using/package-lock.json ~/.npmrc 2>/dev/null || true")).not.toMatch(/_authToken/);
  });
});
