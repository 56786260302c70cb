"""A run's events as server-sent events.

Arrives: a run and the number of the last event that the client has. Leaves: messages with ``id:`` = the
event's number, comments while nothing happens, and an ``end`` message after the run's last event.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from time import monotonic

import msgspec
from litestar.response.sse import ServerSentEventMessage

from appliance.api.desk import Desk
from appliance.domain import RunId, RunStatus
from appliance.redacting import told

WAIT_S = 1.0
HEARTBEAT_S = 15.0


async def follow(desk: Desk, run_id: RunId, last_seq: int) -> AsyncIterator[ServerSentEventMessage]:
    """Stored events after ``last_seq``, then new ones; ends with the run or with the server."""
    loop = asyncio.get_running_loop()
    runs, events = desk.appliance.runs, desk.appliance.events
    seq, heard = last_seq, monotonic()
    while not desk.closing.is_set():
        # Asked before the events are read, so that an end seen here has all its events in the store.
        status = (await loop.run_in_executor(desk.followers, runs.get, run_id)).status
        fresh = await loop.run_in_executor(desk.followers, events.wait, run_id, seq, WAIT_S)
        # The run as it is now: its answer may have been withheld since these events were made.
        run = await loop.run_in_executor(desk.followers, runs.get, run_id)
        for event in told(run, fresh):
            seq = event.seq
            yield ServerSentEventMessage(id=seq, event=event.kind, data=msgspec.json.encode(event).decode())
        if status is not RunStatus.RUNNING and not fresh:
            data = msgspec.json.encode({"run_id": run_id, "status": status}).decode()
            yield ServerSentEventMessage(event="end", data=data)
            return
        if fresh:
            heard = monotonic()
        elif monotonic() - heard >= HEARTBEAT_S:
            heard = monotonic()
            yield ServerSentEventMessage(data=None, comment="still working")
