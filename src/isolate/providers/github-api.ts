// Calls GitHub's REST API with the token, which only this file uses. Responses are bounded, and parsed on receipt.

import type * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";

export interface GithubSettings {
  /** "owner/name". */
  repository: string;
  token: string;
  /** Has no slash at the end. */
  apiUrl: string;
}

export type GithubApi = <Schema extends z.ZodType>(path: string, schema: Schema) => Promise<Result<z.infer<Schema>>>;

const timeoutMs = 20_000;

export const githubApi =
  ({ token, apiUrl }: GithubSettings): GithubApi =>
  async (path, schema) => {
    let response: Response;
    let text: string | null;
    try {
      response = await fetch(`${apiUrl}${path}`, {
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${token}`,
          "user-agent": "sandbox-mcp",
          "x-github-api-version": "2022-11-28",
        },
        // A followed redirect would send the token to another host.
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await readText(response);
    } catch {
      return fail({ reason: "refused", subject: "GitHub", message: "it did not answer" });
    }
    if (text === null) {
      const limit = limits.providerResponseMaxBytes;
      return fail({ reason: "too_large", subject: "GitHub's response", actual: limit, limit, unit: "bytes" });
    }
    if (response.status === 404) return fail({ reason: "not_found", kind: "path", name: path });
    if (response.status !== 200) {
      return fail({ reason: "refused", subject: "GitHub", message: `it answered ${response.status}` });
    }
    return parse(text, schema);
  };

function parse<Schema extends z.ZodType>(text: string, schema: Schema): Result<z.infer<Schema>> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return succeed(parsed.data);
  return fail({ reason: "refused", subject: "GitHub", message: "its response does not have the expected form" });
}

async function readText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limits.providerResponseMaxBytes) return null;
    chunks.push(chunk);
  }
  return new Blob(chunks).text();
}
