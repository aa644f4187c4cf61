"""A process of worlds: a server with an event loop in a thread of its own, which Ray's threads tell what to do.

It takes its worlds over at once, or waits until it is told to: then another process has them still, and this one is
warm when that lets go. It ends by itself when it has no world, when another process has taken one over, and when it was
told to wait and nobody came.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, Literal

import uvicorn

from orca_crowd.api.guard import Guard
from orca_crowd.api.support import Services
from orca_crowd.app import create_app, drain
from orca_crowd.clock import SystemClock
from orca_crowd.engine.ray.actor import ActorOrder
from orca_crowd.engine.ray.names import actor_name, is_shared, other_place
from orca_crowd.garbage import keep_what_is_loaded
from orca_crowd.hosting.door import FrontDoor
from orca_crowd.hosting.lives import Lives
from orca_crowd.hosting.residents import Residents
from orca_crowd.journal.watch import Writing
from orca_crowd.logs import configure
from orca_crowd.settings import Settings
from orca_crowd.streaming.server import QuietServer, socket_options
from orca_crowd.streaming.transport import PassedOnProtocol
from orca_crowd.worlds.hosted import Hosted
from orca_crowd.worlds.journals import Journals

__all__ = ["Host", "start"]

log = logging.getLogger("orca_crowd")

# without a world for so long the process ends, once the last one has gone; a shared one waits for others
GONE_SECONDS: Final = 2.0
SHARED_SECONDS: Final = 60.0
# so long it waits for its turn, and so long it stays when it has let go
PATIENCE_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.05
SWITCH_SECONDS: Final = 0.001


class Host:
    """See the module; called from threads of Ray."""

    def __init__(
        self,
        order: ActorOrder,
        address: str,
        *,
        anew: bool,
        end: Callable[[], None],
        other_lives: Callable[[str], bool],
    ) -> None:
        """`anew`: Ray has made this process in the place of one that died. `end` ends it for good."""
        self._order = order
        self._clock = SystemClock()
        self._settings = Settings.model_validate(order.settings).model_copy(update={"host": address, "port": 0})
        self._begun = self._clock.now()
        self._token = secrets.token_urlsafe(32)
        self._end = end
        self._other_lives = lambda: other_lives(actor_name(order.home, other_place(order.place)))
        self._waits = order.waits and not anew
        # whether the collector leaves alone what is loaded
        self._kept = False
        self._anew = anew
        self._lives = Lives(self._settings, order.home, self._clock)
        self._residents = Residents(self._lives, self._settings, self._clock)
        self._state: Literal["starting", "waiting", "serving", "released"] = "starting"
        self._address = ""
        self._settled = threading.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._services: Services | None = None
        self._thread = threading.Thread(target=self._run, name="orca-world", daemon=True)
        self._thread.start()

    # what Ray's threads call

    def describe(self, seconds: float, world: str | None) -> dict[str, Any]:
        """Where it serves and how far it is; waits while it starts. And a world: None where it is not here."""
        with self._settled:
            self._settled.wait_for(lambda: self._state != "starting", seconds)
            return {
                "state": self._state,
                "address": self._address,
                "token": self._token,
                "life": self._lives.shown(world) if world is not None else None,
            }

    def worlds(self) -> dict[str, dict[str, Any]]:
        """The worlds that are here: the life of each, and whether it has a journal."""
        found = {world: self._lives.shown(world) for world in self._lives.all()}
        return {world: {**life, "kept": self._lives.has(world)} for world, life in found.items() if life is not None}

    def hold(self, world: str, new: bool) -> bool:
        """Have a world from now on; whether that can be."""
        return bool(self._call(self._hold(world, new=new)))

    def drop(self, world: str) -> None:
        """Have a world no longer that is at its end, or was not made."""
        self._call(self._residents.drop(world))

    def release(self) -> None:
        """Let go of the worlds; their journals are closed when this returns."""
        self._call(self._release())

    def take(self, let_go: bool) -> None:
        """Take the worlds over, where this was waited for; `let_go`: whoever had them has let go."""
        self._call(self._take(let_go=let_go))

    def _call(self, coroutine: Any) -> Any:
        if self._loop is None:
            coroutine.close()
            raise RuntimeError("the process is being started")
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    # the event loop

    def _run(self) -> None:
        configure(self._settings.log_format, self._settings.log_level)
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            with asyncio.Runner(loop_factory=_new_loop) as runner:
                runner.run(self._live())
        except Exception:
            log.exception("the process of %s failed", self._order.home)
            os._exit(1)

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        if self._anew and await asyncio.to_thread(self._other_lives):
            # its worlds were on their way elsewhere when this one died
            log.info("%s is elsewhere; this process is not needed", self._order.home)
            self._end()
            return
        if not self._waits:
            await self._residents.claim()
        app = create_app(self._settings, clock=self._clock, hosted=self._hosted())
        self._services = app.state.services
        guard = Guard(
            app,
            clock=self._clock,
            epoch=self._residents.epoch,
            superseded=self._lives.superseded,
            end=self._superseded,
        )
        self._residents.settle(self._services.registry, guard)
        config = uvicorn.Config(
            guard,
            host=self._settings.host,
            port=0,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=2,
            server_header=False,
            lifespan="on",
            # front ends see to the size of messages, and compress for their clients
            **{
                **socket_options(self._settings),
                "ws": PassedOnProtocol,
                "ws_per_message_deflate": False,
                "ws_max_size": 2**31,
            },
        )
        server = QuietServer(config, lambda: drain(app))
        serving = asyncio.create_task(server.serve())
        others = [
            asyncio.create_task(self._look(server, self._services)),
            asyncio.create_task(self._bring_back(self._services)),
        ]
        await asyncio.wait([serving, others[0]], return_when=asyncio.FIRST_COMPLETED)
        for task in others:
            task.cancel()
        await serving

    def _hosted(self) -> Hosted:
        def journals(writing: Writing) -> Journals | None:
            self._lives.watch(writing)
            return self._lives if self._lives.keeps else None

        return Hosted(journals, FrontDoor(self._token), self._residents.left)

    async def _bring_back(self, services: Services) -> None:
        try:
            await self._residents.bring_back(services.warmup.wait)
        except Exception:
            # nobody would ever be answered; Ray makes another one
            log.exception("the worlds of %s cannot be brought back", self._order.home)
            os._exit(1)

    async def _hold(self, world: str, *, new: bool) -> bool:
        if self._state != "serving":
            raise RuntimeError(f"the process is {self._state}")
        return await self._residents.hold(world, new=new)

    async def _take(self, *, let_go: bool = False) -> None:
        if self._state == "waiting":
            self._waits = False
            self._settle("starting")
            await self._residents.claim(let_go=let_go)

    async def _release(self) -> None:
        assert self._services is not None
        self._settle("released")
        await self._services.registry.release()

    def _superseded(self, world: str) -> None:
        """Another process has a world, so it has all of them; Ray need not know: to it this one may be dead already."""
        log.warning("another process has taken world %s over; this one ends", world)
        os._exit(0)

    def _settle(self, state: Literal["starting", "waiting", "serving", "released"]) -> None:
        with self._settled:
            self._state = state
            self._settled.notify_all()

    async def _look(self, server: uvicorn.Server, services: Services) -> None:
        """See to it that others learn how far this is, and that it ends when nobody needs it."""
        residents, since = self._residents, self._clock.now()
        patience = SHARED_SECONDS if is_shared(self._order.home) else GONE_SECONDS
        while True:
            await asyncio.sleep(LOOK_SECONDS if self._state != "serving" else 1.0)
            if not server.started:
                continue
            if not self._address:
                port = server.servers[0].sockets[0].getsockname()[1]
                host = self._settings.host
                self._address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
            now = self._clock.now()
            if self._state == "starting":
                since = now
                if services.warmup.failed:
                    os._exit(1)
                if services.warmup.ready and not self._kept:
                    self._kept = True
                    keep_what_is_loaded(collect=False)
                if self._waits and services.warmup.ready and not residents.claimed:
                    self._settle("waiting")
                elif residents.turn.is_set() and services.warmup.ready:
                    self._settle("serving")
                    told = (self._order.home, self._address, now - self._begun)
                    log.info("%s is served on %s after %.1f seconds", *told)
            elif self._state == "serving":
                if await residents.look():
                    since = now
                elif now - since > patience:
                    log.info("%s has no world any more; its process ends", self._order.home)
                    self._end()
                    return
            elif now - since > PATIENCE_SECONDS:
                await self._give_up_waiting()

    async def _give_up_waiting(self) -> None:
        """Nobody came: take over what nobody has, and end otherwise."""
        if self._state == "waiting" and not await asyncio.to_thread(self._other_lives):
            await self._take()
        else:
            self._end()


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def start(
    order: ActorOrder, address: str, *, anew: bool, end: Callable[[], None], other_lives: Callable[[str], bool]
) -> Host:
    """Begin to run worlds in this process."""
    return Host(order, address, anew=anew, end=end, other_lives=other_lives)
