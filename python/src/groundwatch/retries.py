"""Retries of calls that the service refused for now, or did not answer."""

from __future__ import annotations

import random
import time
import uuid

import httpx

FIRST_WAIT = 0.5  # longest wait before the first retry [s]; it doubles with each further one
LONGEST_WAIT = 20.0  # longest wait before a retry [s]
LONGEST_RETRY_AFTER = 90.0  # longest Retry-After that is waited for [s]; rate limits refill within a minute
CREATING = ("/v1/aois", "/v1/webhooks", "/v1/keys", "/v1/clients", "/v1/risk/watches", "/v1/anomalies/subscribe")


class RetryingTransport(httpx.BaseTransport):
    """Sends each request again after a 429, a 5xx or no answer.

    A call that creates something carries an Idempotency-Key that stays the same, so that nothing is created twice.
    """

    def __init__(self, inner: httpx.BaseTransport, retries: int) -> None:
        self._inner = inner
        self._retries = retries

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        creates = request.method == "POST" and request.url.path in CREATING
        if creates and "idempotency-key" not in request.headers:
            request.headers["idempotency-key"] = str(uuid.uuid4())
        replayable = request.method != "POST" or creates or request.url.path == "/v1/risk/batch"
        request.read()
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                answer = self._inner.handle_request(request)
            except httpx.TransportError:
                if last or not replayable:
                    raise
                time.sleep(random.random() * min(LONGEST_WAIT, FIRST_WAIT * 2**attempt))
                continue
            refused = answer.status_code == 429
            broken = answer.status_code >= 500 and answer.status_code != 501
            wait = self._wait(answer, attempt)
            if last or not (refused or (broken and replayable)) or wait is None:
                return answer
            answer.close()
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, answer: httpx.Response, attempt: int) -> float | None:
        after = str(answer.headers.get("retry-after", ""))
        if after.isdigit():
            return None if float(after) > LONGEST_RETRY_AFTER else float(after) + random.random() / 4
        return random.random() * min(LONGEST_WAIT, FIRST_WAIT * float(2**attempt))

    def close(self) -> None:
        self._inner.close()
