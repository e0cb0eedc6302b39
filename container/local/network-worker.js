// The outbound service of every local Worker: forwards each request to the binding NETWORK, through which workerd connects only to
// the addresses that network-rules.ts allows. It exports no connect() handler, so Workers cannot open sockets.

/** The message with which workerd withholds the reason of an error from a Worker. */
const HIDDEN = /^internal error; reference = (\w+)$/;

/** The host of every request from Miniflare's own socket, where a header names the Worker that a request is for. */
const CLOSED = "closed.invalid";

export default {
  async fetch(request, { NETWORK, CONNECTION_ERRORS }) {
    if (new URL(request.url).hostname === CLOSED) return new Response(null, { status: 404 });
    const headers = new Headers(request.headers);
    // Miniflare adds it, with the name of a zone that does not exist.
    headers.delete("CF-Worker");
    try {
      return await NETWORK.fetch(new Request(request, { headers }));
    } catch (error) {
      const reference = HIDDEN.exec(error.message)?.[1];
      if (reference === undefined) throw error;
      // The fetch() of the caller throws this error. No response of a host can look like it.
      const response = await CONNECTION_ERRORS.fetch(`http://connection-errors/${reference}`);
      throw response.ok ? new Error(await response.text()) : error;
    }
  },
};
