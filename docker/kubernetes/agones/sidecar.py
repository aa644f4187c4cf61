"""Tell Agones how the server is: ready once /readyz says so, healthy as long as /healthz does. For its own container.

Agones allocates no match to a server before it is ready, and replaces one that has not been healthy for a while. The
server itself knows nothing of Agones. Runs until it is killed with the pod.
"""

from __future__ import annotations

import http.client
import os
import time

SERVER = int(os.environ.get("ORCA_CROWD_PORT", "8000"))
AGONES = int(os.environ.get("AGONES_SDK_HTTP_PORT", "9358"))
SECONDS = 2.0


def answers(method: str, port: int, path: str) -> bool:
    """Whether a request to this pod is answered with 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request(method, path, "{}" if method == "POST" else None, {"Content-Type": "application/json"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def main() -> None:
    """Look again and again; ready is told once."""
    told = False
    while True:
        if not told and answers("GET", SERVER, "/readyz"):
            told = answers("POST", AGONES, "/ready")
        if answers("GET", SERVER, "/healthz"):
            answers("POST", AGONES, "/health")
        time.sleep(SECONDS)


if __name__ == "__main__":
    main()
