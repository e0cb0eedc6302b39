// A runner small enough to show what the machine does: POST / with a command answers with its output and exit code.

import { spawn } from "node:child_process";
import { createServer } from "node:http";

process.chdir("/workspace");
// As in the real runner, a fault in the affairs of one command must not end the others.
process.on("uncaughtException", (error) => console.error(error));
createServer((request, response) => {
  let command = "";
  request.on("data", (chunk) => {
    command += chunk;
  });
  request.on("end", () => {
    const env = { ...process.env, BASH_ENV: process.env["RUNNER_COMMAND_START"] };
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"], detached: true, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
      });
    }
    child.on("error", (error) => response.end(JSON.stringify({ code: 127, output: String(error) })));
    child.on("close", (code, signal) => response.end(JSON.stringify({ code: code ?? signal, output })));
  });
}).listen(39_100, "127.0.0.1");
