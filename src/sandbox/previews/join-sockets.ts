// Joins a WebSocket of the machine to a new one for the browser. Messages pass in order and as they are; a close passes with
// its code and reason.

/** The browser's end, to be answered with. `touch` is called with each message, `end` once when both are closed. */
export function joinSockets(machine: WebSocket, touch: () => void, end: () => void): WebSocket {
  const pair = new WebSocketPair();
  const [browser, ours] = [pair[0], pair[1]];
  machine.accept();
  ours.accept();
  // As buffers a message can be passed on at once; a Blob would first have to be read, and later ones overtake it.
  machine.binaryType = "arraybuffer";
  ours.binaryType = "arraybuffer";
  let ended = false;
  const endOnce = () => {
    if (!ended) end();
    ended = true;
  };
  passOn(machine, ours, touch, endOnce);
  passOn(ours, machine, touch, endOnce);
  return browser;
}

function passOn(from: WebSocket, to: WebSocket, touch: () => void, end: () => void): void {
  from.addEventListener("message", ({ data }) => {
    touch();
    try {
      to.send(data);
    } catch {
      // The other side has closed meanwhile; its own close event ends both.
      close(from, 1011, "The other side is gone");
    }
  });
  from.addEventListener("close", ({ code, reason }) => {
    end();
    close(to, code, reason);
  });
  from.addEventListener("error", () => {
    end();
    close(to, 1011, "The other side broke off");
  });
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    // 1005 and 1006 say that no code came, and must not be sent (RFC 6455, section 7.4.1).
    if (code === 1005 || code === 1006) socket.close();
    else socket.close(code, reason);
  } catch {
    // Closed already, by its own side.
    return;
  }
}
