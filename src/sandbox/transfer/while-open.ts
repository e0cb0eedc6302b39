// Knows when the body of an answer has been passed on, so that a machine is not put to sleep under it.

/** The same answer; `done` is called once its body has been passed on or given up. */
export function whileOpen(response: Response, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const { readable, writable } = new IdentityTransformStream();
  // Broken by whichever side: there is nobody left to tell.
  void response.body.pipeTo(writable).then(done, done);
  return new Response(readable, response);
}
