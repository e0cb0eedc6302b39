// The Worker behind the socket that Miniflare opens for its own use (miniflare-options.ts). It refuses every request.

export default { fetch: () => new Response(null, { status: 404 }) };
