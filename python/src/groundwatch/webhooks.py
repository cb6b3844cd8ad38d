"""Proof that a delivery comes from the service."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Sequence
from typing import Any


class SignatureError(Exception):
    """A delivery that cannot be trusted. Answer 400, and do nothing else."""


def verify_signature(
    payload: bytes, header: str | None, secret: str | Sequence[str], *, tolerance: float = 300.0
) -> dict[str, Any]:
    """The event of a delivery.

    Args:
        payload: The body as it was received.
        header: Value of `X-SERVICE-Signature`.
        secret: The secret from the registration; during a rotation, all valid ones.
        tolerance: How far the timestamp may be from now [s].

    Raises:
        SignatureError: The header is malformed, too old, or not of one of the secrets.
    """
    fields = [field.strip().split("=", 1) for field in (header or "").split(",")]
    times = [field[1] for field in fields if field[0] == "t" and len(field) == 2]
    signatures = [field[1].lower() for field in fields if field[0] == "v1" and len(field) == 2]
    if len(times) != 1 or not times[0].isdigit() or not signatures:
        raise SignatureError("expected a header of the form t=<unix time>,v1=<hex>")
    if abs(time.time() - int(times[0])) > tolerance:
        raise SignatureError("the timestamp is too far from now")
    signed = times[0].encode() + b"." + payload
    for one in [secret] if isinstance(secret, str) else secret:
        expected = hmac.new(one.encode(), signed, hashlib.sha256).hexdigest()
        if any(hmac.compare_digest(expected, given) for given in signatures):
            event: dict[str, Any] = json.loads(payload)
            return event
    raise SignatureError("no signature matches")
