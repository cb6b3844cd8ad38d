"""The client: what is asked most, over the generated operations in `groundwatch.api`."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import httpx

from .api import AuthenticatedClient
from .api.models import (
    Aoi,
    AreaFeature,
    AreaFeatureProperties,
    BatchResult,
    Change,
    ListedAnomalyFeature,
    ListedAnomalyFeatureProperties,
    ListedChangeFeature,
    ListedChangeFeatureProperties,
    RiskAssessment,
    SeriesPoint,
)
from .errors import GroundwatchError, error_of
from .frames import frame_of
from .retries import RetryingTransport

if TYPE_CHECKING:
    import geopandas
    import pandas
    import xarray

Peril = Literal["flood", "subsidence", "wildfire", "storm"]
PERILS: tuple[Peril, ...] = ("flood", "subsidence", "wildfire", "storm")
Status = Literal["suspected", "confirmed", "recovered", "rejected", "all"]
When = date | datetime | str
BATCH = 1000  # most locations of one call


class HasGeometry(Protocol):
    """A geometry of shapely and others."""

    @property
    def __geo_interface__(self) -> Mapping[str, Any]: ...


class Groundwatch:
    """A client of one service.

    Args:
        url: Address of the service, such as `https://localhost:8443`.
        key: An API key.
        ca: PEM file of an authority to trust besides the system's, such as `data-local/tls/ca.pem`.
        timeout: Longest wait for an answer [s].
        retries: How often a call is sent again after a 429, a 5xx or no answer.

    `api` is the generated client: pass it to any operation of `groundwatch.api`.
    """

    def __init__(
        self, url: str, key: str, *, ca: str | None = None, timeout: float = 30.0, retries: int = 4
    ) -> None:
        trust = ssl.create_default_context()
        if ca is not None:
            trust.load_verify_locations(ca)
        headers = {"authorization": f"Bearer {key}"}
        self._http = httpx.Client(
            base_url=url,
            headers=headers,
            timeout=timeout,
            transport=RetryingTransport(httpx.HTTPTransport(verify=trust), retries),
        )
        self.api = AuthenticatedClient(base_url=url, token=key).set_httpx_client(self._http)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def call(
        self, method: str, path: str, query: Mapping[str, Any] | None = None, body: object = None
    ) -> Any:
        """Calls any operation: the JSON of its answer, the bytes of a picture, None for an answer without a body.

        Raises:
            GroundwatchError: The service refused the call or did not answer.
        """
        params = {name: _parameter(value) for name, value in (query or {}).items() if value is not None}
        try:
            answer = self._http.request(method, path, params=params, json=body)
        except httpx.TransportError as error:
            raise GroundwatchError(str(error), status=0, code="connection_failed") from error
        if not answer.is_success:
            raise error_of(answer)
        if not answer.content:
            return None
        return answer.json() if "json" in answer.headers.get("content-type", "") else answer.content

    def assess_risk(self, lat: float, lng: float, peril: Peril, *, explain: bool = False) -> RiskAssessment:
        """The risk of a place."""
        query = {"lat": lat, "lng": lng, "peril": peril, "explain": explain}
        return RiskAssessment.from_dict(self._get("/v1/risk", query))

    def assess_places(
        self, places: Iterable[tuple[float, float]], perils: Iterable[Peril] = PERILS, *, explain: bool = False
    ) -> list[tuple[float, float, Peril, BatchResult]]:
        """The risk of many places (latitude, longitude), a thousand answers a call: a row for each place and peril."""
        asked = list(perils)
        rows = [(lat, lng, peril) for lat, lng in places for peril in asked]
        found = []
        for start in range(0, len(rows), BATCH):
            part = rows[start : start + BATCH]
            body = {"locations": [{"lat": lat, "lng": lng, "peril": peril} for lat, lng, peril in part]}
            answer = self.call("POST", "/v1/risk/batch", {"explain": explain}, body)
            results = [BatchResult.from_dict(result) for result in answer["results"]]
            found += [(*row, result) for row, result in zip(part, results, strict=True)]
        return found

    def areas(self) -> Iterator[AreaFeature]:
        """The areas of interest, newest first."""
        return map(AreaFeature.from_dict, self._features("/v1/aois", {}))

    def create_area(self, name: str, geometry: Mapping[str, Any] | HasGeometry) -> Aoi:
        """Creates an area from a GeoJSON Polygon or MultiPolygon, or a geometry of shapely."""
        shape = geometry if isinstance(geometry, Mapping) else geometry.__geo_interface__
        return Aoi.from_dict(self.call("POST", "/v1/aois", {}, {"name": name, "geometry": dict(shape)}))

    def changes(
        self, area: str, *, since: When | None = None, status: Status = "confirmed"
    ) -> Iterator[ListedChangeFeature]:
        """The changes of an area, newest first."""
        return map(ListedChangeFeature.from_dict, self._changes(area, since, status))

    def change(self, id: str) -> Change:
        """A change with its provenance."""
        return Change.from_dict(self._get(f"/v1/changes/{id}", {}))

    def anomalies(self, *, since: When | None = None) -> Iterator[ListedAnomalyFeature]:
        """The anomalies of the subscribed areas, newest first. The geometry is that of the area."""
        return map(ListedAnomalyFeature.from_dict, self._features("/v1/anomalies", {"since": text_of(since)}))

    def series(
        self, lat: float, lng: float, metric: str, *, start: When | None = None, end: When | None = None
    ) -> list[SeriesPoint]:
        """The observations at a place, in the order of time."""
        query = {"lat": lat, "lng": lng, "metric": metric, "from": text_of(start), "to": text_of(end)}
        pages = self._pages("/v1/historical", query)
        return [SeriesPoint.from_dict(point) for page in pages for point in page["series"]]

    def areas_frame(self) -> geopandas.GeoDataFrame:
        """The areas as a GeoDataFrame (extra `geo`), one row each, by id. Times are in UTC."""
        return frame_of(self._features("/v1/aois", {}), AreaFeatureProperties)

    def changes_frame(
        self, area: str, *, since: When | None = None, status: Status = "confirmed"
    ) -> geopandas.GeoDataFrame:
        """The changes of an area as a GeoDataFrame (extra `geo`), one row each, by id. Days are 0:00 UTC."""
        return frame_of(self._changes(area, since, status), ListedChangeFeatureProperties)

    def anomalies_frame(self, *, since: When | None = None) -> geopandas.GeoDataFrame:
        """The anomalies as a GeoDataFrame (extra `geo`), one row each, by id. Times are in UTC."""
        return frame_of(
            self._features("/v1/anomalies", {"since": text_of(since)}), ListedAnomalyFeatureProperties
        )

    def risk_frame(
        self, places: Iterable[tuple[float, float]], perils: Iterable[Peril] = PERILS
    ) -> pandas.DataFrame:
        """The risk of many places as a DataFrame (extra `geo`), a row for each place and peril."""
        import pandas

        rows = [
            (lat, lng, peril, result.risk_score, result.confidence)
            for lat, lng, peril, result in self.assess_places(places, perils)
        ]
        return pandas.DataFrame(rows, columns=["lat", "lng", "peril", "risk_score", "confidence"])

    def series_array(
        self, lat: float, lng: float, metric: str, *, start: When | None = None, end: When | None = None
    ) -> xarray.DataArray:
        """The observations at a place as a DataArray (extra `array`) over `time` (UTC)."""
        import numpy
        import xarray

        points = self.series(lat, lng, metric, start=start, end=end)
        time = numpy.array([str(point.t).removesuffix("Z") for point in points], dtype="datetime64[ms]")
        values = numpy.array([point.v for point in points], dtype=float)
        coords = {"time": time.astype("datetime64[ns]"), "lat": lat, "lng": lng}
        return xarray.DataArray(values, dims="time", coords=coords, name=metric)

    def _changes(self, area: str, since: When | None, status: Status) -> Iterator[dict[str, Any]]:
        return self._features("/v1/changes", {"aoi_id": area, "since": text_of(since), "status": status})

    def _features(self, path: str, query: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for page in self._pages(path, {**query, "f": "geojson"}):
            yield from page["features"]

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        cursor = None
        while True:
            page = self._get(path, {**query, "cursor": cursor})
            yield page
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def _get(self, path: str, query: Mapping[str, Any]) -> Any:
        return self.call("GET", path, query)


def _parameter(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def text_of(when: When | None) -> str | None:
    """A time as the API takes it. A datetime without a time zone is UTC."""
    if not isinstance(when, datetime):
        return None if when is None else str(when)
    return when.isoformat() + ("Z" if when.tzinfo is None else "")
