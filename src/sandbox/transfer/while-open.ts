// Notices when the body of an answer has been sent, so that its machine is not put to sleep before that.

/** The same answer. `done` is called once its body has been sent completely, has failed, or is not read any more. */
export function whileOpen(response: Response, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const { readable, writable } = new IdentityTransformStream();
  // Whichever side fails, the other one sees it in its own end of the stream.
  void response.body.pipeTo(writable).then(done, done);
  return new Response(readable, response);
}
