// A private git repository over HTTP: the real `git http-backend` as a CGI program, behind a check of the credential. A route
// of a stand-in.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface GitServer {
  route: RequestListener;
  /** Of the bare repository. */
  git(...args: string[]): string;
  close(): void;
}

/** On main. */
export const COMMITS = 50;

/** Serves /private/repo.git to whoever sends `credential`. */
export function startGitServer(credential: string): GitServer {
  const root = mkdtempSync(join(tmpdir(), "git-server-"));
  const repository = join(root, "private/repo.git");
  mkdirSync(repository, { recursive: true });
  const git = (...args: string[]): string => execFileSync("git", ["-C", repository, ...args], { encoding: "utf8" });
  git("init", "--quiet", "--bare", "--initial-branch=main");
  git("config", "http.receivepack", "true");
  execFileSync("git", ["-C", repository, "fast-import", "--quiet"], { input: fastImport(COMMITS) });
  return {
    git,
    route(request, response) {
      if (request.headers.authorization !== credential) {
        return response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      }
      runBackend(root, request, response);
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Each has a branch of its own too, so that a clone asks for so many that git compresses its question. */
function fastImport(count: number): string {
  return Array.from({ length: count }, (_, index) =>
    [
      ...[
        "commit refs/heads/main",
        `mark :${index + 1}`,
        `committer test <test@example.com> ${1_000_000_000 + index} +0000`,
      ],
      ...["data 1", "c", `reset refs/heads/topic-${index}`, `from :${index + 1}`, ""],
    ].join("\n"),
  ).join("\n");
}

function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const { headers } = request;
  const backend = spawn("git", ["http-backend"], {
    env: {
      ...{ PATH: process.env["PATH"], GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: "1", REMOTE_USER: "test" },
      ...{ REQUEST_METHOD: request.method, PATH_INFO: path, QUERY_STRING: query },
      ...{ CONTENT_TYPE: headers["content-type"], HTTP_CONTENT_ENCODING: headers["content-encoding"] },
      ...{ CONTENT_LENGTH: headers["content-length"], GIT_PROTOCOL: String(headers["git-protocol"] ?? "") },
      // The bare repository may be another user's.
      ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" },
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  request.pipe(backend.stdin).on("error", () => request.resume());
  passAnswer(backend.stdout, response);
}

/** A CGI program's: headers, one of which may be the status, then the body. */
function passAnswer(output: NodeJS.ReadableStream, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    output.off("data", onData);
    for (const line of head.toString("latin1", 0, end).split("\r\n")) {
      const [name = "", value = ""] = line.split(/: (.*)/);
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
    output.pipe(response);
  };
  output.on("data", onData);
}
