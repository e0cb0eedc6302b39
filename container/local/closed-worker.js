// Where the socket that Miniflare opens for itself leads to: nowhere.

export default { fetch: () => new Response(null, { status: 404 }) };
