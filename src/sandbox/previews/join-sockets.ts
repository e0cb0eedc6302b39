// Joins a WebSocket of the machine to a new one for the browser. Messages are forwarded in order and unchanged; a close is forwarded
// with its code and reason.

interface SocketEvents {
  /** Called with each message. */
  touch(): void;
  /** Called once, when the connection has ended. */
  end(): void;
}

/** Returns the browser's end, for the response to its request. */
export function joinSockets(machine: WebSocket, { touch, end }: SocketEvents): WebSocket {
  const pair = new WebSocketPair();
  const [browser, server] = [pair[0], pair[1]];
  machine.accept();
  server.accept();
  // A buffer can be sent on at once. A Blob would have to be read first, and later messages would overtake it.
  machine.binaryType = "arraybuffer";
  server.binaryType = "arraybuffer";
  let hasEnded = false;
  const endOnce = () => {
    if (!hasEnded) end();
    hasEnded = true;
  };
  forward(machine, server, { touch, end: endOnce });
  forward(server, machine, { touch, end: endOnce });
  return browser;
}

function forward(from: WebSocket, to: WebSocket, { touch, end }: SocketEvents): void {
  from.addEventListener("message", ({ data }) => {
    touch();
    try {
      to.send(data);
    } catch {
      // The other side has closed; its own close event ends both.
      close(from, 1011, "The other side is gone");
    }
  });
  from.addEventListener("close", ({ code, reason }) => {
    end();
    close(to, code, reason);
  });
  from.addEventListener("error", () => {
    end();
    close(to, 1011, "The connection of the other side broke");
  });
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    // 1005 and 1006 mean that no code was received, and must not be sent (RFC 6455, section 7.4.1).
    if (code === 1005 || code === 1006) socket.close();
    else socket.close(code, reason);
  } catch {
    // Its own side has closed it already.
    return;
  }
}
