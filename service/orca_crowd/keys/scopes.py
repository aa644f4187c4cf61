"""What a key allows. Pure.

Three scopes, each with everything of the one before: `read` sees, `control` changes and steps the worlds there are,
`admin` makes and deletes worlds. A key may be bound to some worlds, and then the others are not there for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

__all__ = ["EVERYTHING", "SCOPES", "Grant", "Scope"]

Scope = Literal["read", "control", "admin"]
SCOPES: Final[Sequence[Scope]] = get_args(Scope)


@dataclass(frozen=True)
class Grant:
    """What somebody may do: a scope, and the ids of worlds it goes for, None for all of them.

    `key` is the public part of the key, for logs and limits; None where the server runs without keys.
    """

    scope: Scope
    worlds: frozenset[str] | None = None
    key: str | None = None

    def allows(self, scope: Scope) -> bool:
        """Whether this scope is enough for what asks for `scope`."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)

    def sees(self, world: str) -> bool:
        """Whether it goes for this world."""
        return self.worlds is None or world in self.worlds


# what everybody may while there are no keys
EVERYTHING: Final = Grant("admin")
