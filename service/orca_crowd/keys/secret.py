"""What a key looks like, and what of it is kept.

`orca_<eight letters>_<forty-three letters>`: the first part is public and names the key in lists and logs, the second
is 256 random bits and is shown once. Kept is a salted SHA-256 of it. A slow hash (scrypt, argon2) is for what people
think up, which can be guessed; nobody guesses 256 bits, and a slow hash would only invite to keep the server busy.

All letters of a key may stand in a WebSocket subprotocol, which is how browsers send one.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Final

__all__ = ["Secret", "digest", "matches", "new_secret", "read_secret"]

_FORM: Final = re.compile(r"orca_([0-9a-z]{8})_([0-9A-Za-z_-]{43})")
_LETTERS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
SALT_BYTES: Final = 16


@dataclass(frozen=True)
class Secret:
    """A key in two parts; `repr` does not show the second, so that it gets into no log by accident."""

    name: str
    random: str

    def __repr__(self) -> str:
        """The public part alone."""
        return f"Secret(orca_{self.name}_…)"

    def text(self) -> str:
        """The whole key, as it is handed to its owner."""
        return f"orca_{self.name}_{self.random}"


def new_secret() -> Secret:
    """A key that nobody had before."""
    return Secret("".join(secrets.choice(_LETTERS) for _ in range(8)), secrets.token_urlsafe(32))


def read_secret(text: str) -> Secret | None:
    """The parts of a key; None where the text has another form."""
    found = _FORM.fullmatch(text)
    return Secret(found[1], found[2]) if found else None


def digest(random: str, salt: bytes) -> bytes:
    """What is kept of the random part, 32 bytes."""
    return hashlib.sha256(salt + random.encode()).digest()


def matches(random: str, salt: bytes, kept: bytes) -> bool:
    """Whether a random part is the one that was kept, in a time that does not tell how much of it is right."""
    return hmac.compare_digest(digest(random, salt), kept)
