# Sends each text to a port of loopback, all at once, and prints what comes back until the other side closes, or is silent for long.
# Standard input is a JSON list of [port, text], standard output a JSON list of texts, all in Latin-1.

import asyncio, json, sys

async def send(port, text):
    received = b""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(text.encode("latin-1"))
        while chunk := await asyncio.wait_for(reader.read(65536), 10):
            received += chunk
    except (OSError, asyncio.TimeoutError) as error:
        received += type(error).__name__.encode()
    return received.decode("latin-1")

async def main():
    print(json.dumps(await asyncio.gather(*(send(*each) for each in json.load(sys.stdin)))))

asyncio.run(main())
