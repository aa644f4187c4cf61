"""A store that speaks S3 over HTTP, in a process of its own: moto, which can go away for a while and come back.

Run as a script it is that process: it says its port, then does what it reads, a line each: `away` refuses connections
until `back`, which has all that was there before. At the end of its input it ends.

In the bucket `terse` an object that is there already is refused as some stores do, which do not name the condition; in
the bucket `busy` each first try to write one is answered as S3 does while somebody else is writing it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.live_server import child_environment

__all__ = ["BUCKETS", "S3Store", "s3_store"]

BUCKETS = ("plain", "terse", "busy")
STOP_SECONDS = 10.0


class S3Store:
    """The process of the store, as a test speaks with it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Read its port."""
        self.process = process
        self.environment = {
            "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{self._read()}",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
            # nothing of the user's own
            "AWS_CONFIG_FILE": "/dev/null",
            "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def _read(self) -> str:
        assert self.process.stdout is not None
        answer = self.process.stdout.readline().strip()
        assert answer, f"the store has ended with {self.process.wait()}"
        return answer

    def _ask(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self._read() == line

    def away(self) -> None:
        """Refuse every connection from here on."""
        self._ask("away")

    def back(self) -> None:
        """Answer again, at the same port, with all that was there."""
        self._ask("back")


@contextmanager
def s3_store() -> Iterator[S3Store]:
    """A store with BUCKETS; its process has ended after the block."""
    environment = {name: value for name, value in child_environment().items() if name != "PYTHONWARNINGS"}
    process = subprocess.Popen(
        [sys.executable, __file__], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield S3Store(process)
    finally:
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


Environ = dict[str, Any]


class Answers:
    """moto, one request after the other: what S3 does as one act moto does in two."""

    def __init__(self) -> None:
        """With its buckets."""
        import threading

        from moto.s3.models import s3_backends
        from moto.server import DomainDispatcherApplication, create_backend_app

        self._moto = DomainDispatcherApplication(create_backend_app)
        self._lock = threading.Lock()
        self._tried: set[str] = set()
        for name in BUCKETS:
            s3_backends["123456789012"]["aws"].create_bucket(name, "us-east-1")

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """A WSGI application."""
        bucket, path = environ["PATH_INFO"].split("/")[1], environ["PATH_INFO"]
        new = environ["REQUEST_METHOD"] == "PUT" and "HTTP_IF_NONE_MATCH" in environ
        if new and bucket == "busy" and path not in self._tried:
            self._tried.add(path)
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start_response("409 Conflict", [("Content-Type", "application/xml")])
            return [b"<Error><Code>ConditionalRequestConflict</Code><Message>again</Message></Error>"]
        with self._lock:
            body = b"".join(self._moto(environ, self._terse(start_response) if bucket == "terse" else start_response))
        return [body.replace(b"<Condition>If-None-Match</Condition>", b"")] if bucket == "terse" else [body]

    @staticmethod
    def _terse(start_response: Any) -> Any:
        """The length is another one when something is left out."""

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            kept = [each for each in headers if status[:3] != "412" or each[0].lower() != "content-length"]
            return start_response(status, kept, *more)

        return start


def _serve() -> None:
    import logging
    import threading

    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application, port = Answers(), 0
    while True:
        # a new connection for each request, so none is left where nothing listens
        server = make_server("127.0.0.1", port, application, threaded=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        print("back" if port else server.port, flush=True)
        port = server.port
        line = sys.stdin.readline().strip()
        server.shutdown()
        thread.join()
        server.server_close()
        if line != "away":
            return
        print("away", flush=True)
        if sys.stdin.readline().strip() != "back":
            return


if __name__ == "__main__":
    _serve()
