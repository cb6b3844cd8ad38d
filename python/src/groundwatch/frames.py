"""Answers as tables of GeoPandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import fields

if TYPE_CHECKING:
    import geopandas


def frame_of(features: Iterable[Mapping[str, Any]], properties: type[Any]) -> geopandas.GeoDataFrame:
    """Features as a GeoDataFrame in WGS84, by id.

    Args:
        features: GeoJSON features of one kind.
        properties: The generated class of their properties. Its fields are the columns of a frame without rows.

    The columns that end in `_at` are times in UTC, with NaT where the service says null. A day is its midnight.
    """
    import geopandas
    import pandas

    found = list(features)
    if found:
        frame = geopandas.GeoDataFrame.from_features(found, crs="EPSG:4326").set_index("id")
    else:
        names = [field.name.removesuffix("_") for field in fields(properties)]
        columns = [name for name in names if name not in ("id", "additional_properties")]
        index = pandas.Index([], name="id", dtype=object)
        frame = geopandas.GeoDataFrame(columns=[*columns, "geometry"], index=index, crs="EPSG:4326")
    for name in [column for column in frame.columns if column.endswith("_at")]:
        frame[name] = pandas.to_datetime(frame[name], utc=True, format="ISO8601")
    return frame
