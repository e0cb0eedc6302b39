// The network of the local Worker (its outboundService): forwards each request as it is to the binding NETWORK, through which workerd
// connects to the addresses of network-rules.ts only. It exports no connect(), so the Worker opens no sockets of its own.

/** How workerd hides the reason of an error from a Worker. */
const HIDDEN = /^internal error; reference = (\w+)$/;

export default {
  async fetch(request, { NETWORK, CONNECTION_ERRORS }) {
    try {
      return await NETWORK.fetch(request);
    } catch (error) {
      const reference = HIDDEN.exec(error.message)?.[1];
      if (reference === undefined) throw error;
      // The caller's own fetch() throws this; an answer of a host, whatever is in it, cannot be taken for it.
      const reason = await CONNECTION_ERRORS.fetch(`http://connection-errors/${reference}`);
      throw reason.ok ? new Error(await reason.text()) : error;
    }
  },
};
