"""The error of a call that failed."""

from __future__ import annotations

import httpx


class GroundwatchError(Exception):
    """A call that the service refused, or that got no answer.

    Attributes:
        status: HTTP status; 0 if there was no answer.
        code: One of the codes of the service, such as `bad_request`, or `connection_failed`.
        param: The field at fault, such as `locations[17].lat`.
        request_id: Identifies the call in the logs of the service.
    """

    def __init__(
        self, message: str, *, status: int, code: str, param: str | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.request_id = request_id


def error_of(answer: httpx.Response) -> GroundwatchError:
    """The error that an answer states."""
    try:
        said = answer.json()["error"]
        message, code, param = said["message"], said["code"], said.get("param")
    except (ValueError, KeyError, TypeError):
        message, code, param = f"the service answered {answer.status_code}", "unreadable_answer", None
    request_id = answer.headers.get("x-request-id")
    return GroundwatchError(message, status=answer.status_code, code=code, param=param, request_id=request_id)
