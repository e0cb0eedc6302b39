// The few answers of GitHub's API that `gh` asks for in the tests, to whoever sends the credential. Routes of a stand-in.

import type { RequestListener } from "node:http";

export function githubApi(credential: string): Record<string, RequestListener> {
  const guarded =
    (answer: (query: string) => unknown): RequestListener =>
    async (request, response) => {
      let query = "";
      for await (const chunk of request.setEncoding("utf8")) query += String(chunk);
      const mayEnter = request.headers.authorization === credential;
      response.writeHead(mayEnter ? 200 : 401, { "content-type": "application/json", "x-oauth-scopes": "repo" });
      response.end(JSON.stringify(mayEnter ? answer(query) : { message: "Bad credentials" }));
    };
  return {
    "/user": guarded(() => ({ login: "octo" })),
    "/graphql": guarded((query) => ({ data: graphql(query) })),
    "/repos/octo/private": guarded(() => ({ full_name: "octo/private", private: true })),
  };
}

function graphql(query: string): unknown {
  if (query.includes("pullRequests")) {
    const node = { number: 7, title: "A pull request", state: "OPEN", headRefName: "branch", isDraft: false };
    return { repository: { pullRequests: { totalCount: 1, nodes: [node], pageInfo: { hasNextPage: false } } } };
  }
  return { viewer: { login: "octo" }, repository: { name: "private", owner: { login: "octo" }, isPrivate: true } };
}
