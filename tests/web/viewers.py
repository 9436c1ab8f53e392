"""A program of many viewers: `python -m tests.web.viewers HOST:PORT PATH COOKIE COUNT` prints a line an event heard."""

import asyncio
import sys
import time


async def view(host: str, path: str, cookie: str) -> None:
    """Kind, number and moment of each event of one stream, to its end."""
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port), limit=1 << 22)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n".encode())
    kind, number = "", "0"
    while line := await reader.readline():
        field, _, value = line.decode().rstrip().partition(": ")
        if field == "event":
            kind = value
        elif field == "id":
            number = value
        elif field == "data":
            print(kind, number, time.time(), flush=True)
            if kind == "end":
                break
    writer.close()


async def main(host: str, path: str, cookie: str, count: str) -> None:
    """All of them at once."""
    await asyncio.gather(*(view(host, path, cookie) for _ in range(int(count))))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
