// github: reads the one repository that the deployment names. It is the example of a provider with a secret: the token stays
// in the Worker, and code sees only what the methods return.

import * as z from "zod";
import type { Result } from "../../contract/result.ts";
import { fail, succeed } from "../../contract/result.ts";
import { type GithubApi, type GithubSettings, githubApi } from "./github-api.ts";
import { defineMethod, type Provider } from "./provider.ts";

const state = z.enum(["open", "closed", "all"]).optional();
const limit = z.number().int().min(1).max(100).optional();

const Issue = z.object({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  user: z.object({ login: z.string() }).nullable(),
  labels: z.array(z.object({ name: z.string() })),
  body: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  html_url: z.string(),
});

const PullRequest = Issue.extend({
  draft: z.boolean().optional(),
  merged_at: z.string().nullable(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
});

export function github(settings: GithubSettings): Provider {
  const api = githubApi(settings);
  const repo = `/repos/${settings.repository}`;
  return {
    name: "github",
    summary: `the GitHub repository ${settings.repository}, read-only`,
    methods: {
      listPullRequests: defineMethod({
        scope: "sandbox:exec",
        summary: "Pull requests, newest first",
        input: z.strictObject({ state, limit }),
        positional: [],
        output: z.array(PullRequest),
        run: ({ state, limit }) =>
          api(`${repo}/pulls?state=${state ?? "open"}&per_page=${limit ?? 30}`, z.array(PullRequest)),
      }),
      getPullRequest: defineMethod({
        scope: "sandbox:exec",
        summary: "One pull request",
        input: z.strictObject({ number: z.number().int().min(1) }),
        positional: ["number"],
        output: PullRequest,
        run: ({ number }) => api(`${repo}/pulls/${number}`, PullRequest),
      }),
      listIssues: defineMethod({
        scope: "sandbox:exec",
        summary: "Issues, newest first, without pull requests",
        input: z.strictObject({ state, labels: z.string().optional(), limit }),
        positional: [],
        output: z.array(Issue),
        run: ({ state, labels, limit }) => listIssues(api, repo, { state, labels, limit }),
      }),
      getFile: defineMethod({
        scope: "sandbox:exec",
        summary: "The text of a file, at a branch, tag or commit",
        input: z.strictObject({ path: z.string().min(1), ref: z.string().optional() }),
        positional: ["path", "ref"],
        output: "string",
        run: ({ path, ref }) => getFile(api, repo, path, ref),
      }),
      searchCode: defineMethod({
        scope: "sandbox:exec",
        summary: "Files that GitHub's code search finds",
        input: z.strictObject({ query: z.string().min(1), limit }),
        positional: ["query"],
        output: z.array(z.object({ path: z.string(), html_url: z.string() })),
        run: ({ query, limit }) => searchCode(api, settings.repository, { query, limit: limit ?? 30 }),
      }),
    },
  };
}

interface IssueQuery {
  state: "open" | "closed" | "all" | undefined;
  labels: string | undefined;
  limit: number | undefined;
}

async function listIssues(
  api: GithubApi,
  repo: string,
  { state, labels, limit }: IssueQuery,
): Promise<Result<unknown>> {
  const query = new URLSearchParams({
    state: state ?? "open",
    per_page: String(limit ?? 30),
    ...(labels && { labels }),
  });
  const result = await api(`${repo}/issues?${query}`, z.array(Issue.extend({ pull_request: z.unknown().optional() })));
  if (!result.ok) return result;
  return succeed(result.value.filter((issue) => issue.pull_request === undefined));
}

async function getFile(api: GithubApi, repo: string, path: string, ref: string | undefined): Promise<Result<string>> {
  // A `..` in the path would leave the repository's part of the API.
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes(".."))
    return fail({ reason: "invalid_request", message: `"${path}" is outside the repository` });
  const query = ref === undefined ? "" : `?ref=${encodeURIComponent(ref)}`;
  const File = z.object({ type: z.literal("file"), encoding: z.literal("base64"), content: z.string() });
  const result = await api(`${repo}/contents/${segments.map(encodeURIComponent).join("/")}${query}`, File);
  if (!result.ok) return result;
  return succeed(new TextDecoder().decode(Uint8Array.fromBase64(result.value.content)));
}

/** The token may read more than the one repository, and a query can name others. */
async function searchCode(
  api: GithubApi,
  repository: string,
  { query, limit }: { query: string; limit: number },
): Promise<Result<unknown>> {
  if (/(?<![\w.])(repo|org|user|enterprise|owner)\s*:/i.test(query)) {
    return fail({
      reason: "invalid_request",
      message: `searchCode searches "${repository}" only. Leave repo:, org: and user: out of the query`,
    });
  }
  const item = z.object({ path: z.string(), html_url: z.string(), repository: z.object({ full_name: z.string() }) });
  const path = `/search/code?q=${encodeURIComponent(`${query} repo:${repository}`)}&per_page=${limit}`;
  const result = await api(path, z.object({ items: z.array(item) }));
  if (!result.ok) return result;
  const matches = result.value.items.filter(
    ({ repository: { full_name } }) => full_name.toLowerCase() === repository.toLowerCase(),
  );
  return succeed(matches.map(({ path, html_url }) => ({ path, html_url })));
}
