# SPDX-License-Identifier: Apache-2.0
"""A server that answers one client after a while, and its client: served.py serve|use|own tcp|tcp6|unix ADDRESS. `own`: both, in two
processes."""

import os
import socket
import sys
import time

what, family, address = sys.argv[1:]
FAMILIES = {"tcp": socket.AF_INET, "tcp6": socket.AF_INET6, "unix": socket.AF_UNIX}


def listen():
    server = socket.socket(FAMILIES[family])
    if family == "unix":
        if os.path.exists(address):
            os.unlink(address)
        server.bind(address)
    else:
        server.bind(("::1" if family == "tcp6" else "127.0.0.1", 0))
    server.listen()
    return server


def answer(server):
    client, _ = server.accept()
    client.recv(1)
    time.sleep(0.5)
    client.sendall(b"42\n")


def ask(server):
    client = socket.socket(FAMILIES[family])
    client.connect(server)
    client.sendall(b"?")
    print(client.recv(3).decode(), end="")


if what == "use":
    ask(address if family == "unix" else ("::1" if family == "tcp6" else "127.0.0.1", int(address)))
    sys.exit()
server = listen()
if what == "own" and os.fork() == 0:
    answer(server)
    os._exit(0)
if what == "own":
    ask(server.getsockname())
    os.wait()
    sys.exit()
print(address if family == "unix" else server.getsockname()[1], flush=True)
answer(server)
