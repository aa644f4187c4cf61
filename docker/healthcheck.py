"""Whether the server of this container answers: exit code 0 or 1. No shell and no other program is needed for it.

It asks where ORCA_CROWD_HOST and ORCA_CROWD_PORT say; both have to be set as variables, not as options of the command.
"""

import http.client
import os
import sys

HOST = os.environ.get("ORCA_CROWD_HOST", "127.0.0.1").strip("[]")
PORT = int(os.environ.get("ORCA_CROWD_PORT", "8000"))
ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}

try:
    connection = http.client.HTTPConnection(ANY.get(HOST, HOST), PORT, timeout=4)
    connection.request("GET", "/healthz")
    status = connection.getresponse().status
except OSError as error:
    sys.exit(f"no answer: {error}")
sys.exit(0 if status == 200 else f"/healthz answered {status}")
