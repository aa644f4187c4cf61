"""Prints the schemas of REST and of the stream as one JSON document, for types.mjs."""

from __future__ import annotations

import json
import sys

from orca_crowd import __version__
from orca_crowd.app import create_app
from orca_crowd.protocol.asyncapi import asyncapi_document
from orca_crowd.settings import Settings

json.dump({"rest": create_app(Settings()).openapi(), "stream": asyncapi_document(__version__)}, sys.stdout)
