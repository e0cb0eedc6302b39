# Sends bytes to hosts, as they are, and reports what came back: for requests that no ordinary client would make. CASES is
# {name: {host, send, tls?, sni?, methods?, until?, drip?, patience?}}; all run at once. Printed: {name: {answers, end, seconds}} as JSON, compressed.

import base64, http.client, io, json, os, socket, ssl, threading, time, zlib


class Kept(socket.SocketIO):
    """A response closes its file, which holds the next response too."""

    def close(self):
        pass


class Reader:
    def __init__(self, connection):
        self.file = io.BufferedReader(Kept(connection, "r"))
        self.file.close = lambda: None

    def makefile(self, _):
        return self.file


def talk(case):
    tls = case.get("tls", True)
    connection = socket.create_connection((case["host"], 443 if tls else 80), 10)
    if tls is True:
        context = ssl.create_default_context()
        context.check_hostname = False
        connection = context.wrap_socket(connection, server_hostname=case.get("sni", case["host"]))
    connection.settimeout(case.get("patience", 30))
    reader = Reader(connection)
    answers = []
    try:
        connection.sendall(case["send"].encode("latin1"))
        for method in case.get("methods", ["GET"]):
            response = http.client.HTTPResponse(reader, method=method)
            response.begin()
            headers = [[name.lower(), value[:400]] for name, value in response.getheaders() if name.lower() != "date"]
            body = response.read().decode("latin1")[:4000]
            answers.append({"status": response.status, "reason": response.reason, "headers": headers, "body": body})
        end = "open"
        if case.get("until") == "closed":
            if "drip" in case:
                threading.Thread(target=drip, args=(connection, case["drip"].encode()), daemon=True).start()
            end = "closed" if reader.file.read(1) == b"" else "more"
    except (OSError, http.client.HTTPException) as error:
        end = type(error).__name__
    connection.close()
    return answers, end


def drip(connection, piece):
    try:
        while True:
            connection.sendall(piece)
            time.sleep(1)
    except OSError:
        pass


def run(name, case):
    started = time.time()
    try:
        answers, end = talk(case)
    except OSError as error:
        answers, end = [], type(error).__name__
    results[name] = {"answers": answers, "end": end, "seconds": round(time.time() - started, 1)}


results = {}
threads = [threading.Thread(target=run, args=entry) for entry in json.loads(os.environ["CASES"]).items()]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
# Small enough for the output of one command.
print(base64.b64encode(zlib.compress(json.dumps(results).encode())).decode())
