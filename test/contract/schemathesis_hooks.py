"""What valid calls need that no schema can say; schemathesis loads this file (SCHEMATHESIS_HOOKS)."""

import uuid

import schemathesis

SQUARE = [[[14.5, 46.0], [14.6, 46.0], [14.6, 46.1], [14.5, 46.1], [14.5, 46.0]]]
# RFC 7517, appendix A.1
PUBLIC_KEY = {
    "kty": "EC",
    "crv": "P-256",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
}


@schemathesis.hook
def before_call(context, case, kwargs):
    # A key stands for one body. With a new one each call is a call of its own.
    if case.headers is not None and "Idempotency-Key" in case.headers and is_valid(case, "headers"):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    # The tag of a resource comes from an earlier answer.
    if case.headers is not None and is_valid(case, "headers"):
        case.headers.pop("If-Match", None)
    # The address of tiles in a TileJSON is a template. Followed as a link, its names are no numbers.
    if case.path_parameters and is_valid(case, "path_parameters"):
        for name in ("z", "x", "y"):
            if name in case.path_parameters and not str(case.path_parameters[name]).isdigit():
                case.path_parameters[name] = 0
    # Of the secrets of a webhook only some live at once; the default keeps the former one for a day.
    if case.path.endswith("/rotate-secret") and is_valid(case, "query"):
        case.query = {**(case.query or {}), "overlap_seconds": "0"}
    # Cursors and ids of events come from earlier answers.
    if case.query and is_valid(case, "query"):
        for name in ("cursor", "after"):
            case.query.pop(name, None)
        # A metric is one of a list that grows, an interval does not end before it begins (it ends
        # now without "to" or "until"), a box is four numbers, and a time one of RFC 3339.
        if "metric" in case.query:
            case.query["metric"] = "ndvi"
        if "bbox" in case.query:
            case.query["bbox"] = "14.4,46,14.6,46.1"
        if "coords" in case.query:
            case.query["coords"] = "POINT(14.5 46)"
        if "parameter-name" in case.query:
            case.query["parameter-name"] = "ndvi"
        if "datetime" in case.query:
            case.query["datetime"] = "2026-01-01T00:00:00Z/.."
        # A link from a search by POST gives lists, where a query has a text.
        for name in ("ids", "collections"):
            if isinstance(case.query.get(name), list):
                case.query.pop(name)
        # A search has a box or a geometry.
        if "intersects" in case.query:
            case.query["intersects"] = '{"type": "Point", "coordinates": [14.5, 46]}'
            case.query.pop("bbox", None)
        if "from" in case.query:
            case.query.pop("to", None)
            if str(case.query["from"])[:4] > "2025":
                case.query["from"] = "2025-01-01"
        if "since" in case.query:
            case.query.pop("until", None)
    if isinstance(case.body, dict) and is_valid(case, "body"):
        # Only public addresses are taken, and only areas whose rings close and do not cross.
        # A watch has one place, and one of an area ends when another call deletes the area. A key lives no longer than
        # the key that makes it, and public keys are points of a curve.
        if case.path == "/v1/risk/watches" and "aoi_id" in case.body:
            case.body.pop("aoi_id")
            case.body.update(lat=46.05, lng=14.55)
        if "aoi_id" in case.body:
            for name in ("lat", "lng"):
                case.body.pop(name, None)
        if isinstance(case.body.get("expires_in_days"), (int, float)):
            case.body["expires_in_days"] = min(case.body["expires_in_days"], 30)
        # Only a client that was made with keys takes others in their place.
        if "jwks" in case.body or case.path == "/v1/clients":
            case.body["jwks"] = {"keys": [PUBLIC_KEY]}
        # A time zone is one of a list that grows, and quiet hours end at another time than they begin.
        quiet = case.body.get("quiet_hours")
        if isinstance(quiet, dict) and "zone" in quiet:
            quiet["zone"] = "Europe/Ljubljana"
            if quiet.get("from") == quiet.get("to"):
                quiet["to"] = "06:00" if quiet.get("from") != "06:00" else "07:00"
        # Nothing is sent to a webhook that is disabled.
        if "/webhooks/" in case.path and "status" in case.body:
            case.body["status"] = "active"
        if "url" in case.body:
            case.body["url"] = "https://hooks.example.com/groundwatch"
        # Events go to an address or to a mailbox.
        if case.path == "/v1/webhooks":
            case.body.pop("email", None)
            case.body["url"] = "https://hooks.example.com/groundwatch"
        if case.path == "/stac/search":
            case.body.pop("cursor", None)
            if "bbox" in case.body:
                case.body["bbox"] = [14.4, 46, 14.6, 46.1]
            if "intersects" in case.body:
                case.body["intersects"] = {"type": "Point", "coordinates": [14.5, 46]}
                case.body.pop("bbox", None)
            if "datetime" in case.body:
                case.body["datetime"] = "2026-01-01T00:00:00Z/.."
        if "geometry" in case.body:
            case.body["geometry"] = {"type": "Polygon", "coordinates": SQUARE}
        if isinstance(case.body.get("name"), str) and case.body["name"].strip() == "":
            case.body["name"] = "a name that is not only spaces"
        if isinstance(case.body.get("aois"), list):
            case.body["aois"] = [
                {"name": "one of several", "geometry": {"type": "Polygon", "coordinates": SQUARE}}
                for _ in case.body["aois"][:3]
            ]
        if "email" in case.body:
            case.body["email"] = f"{uuid.uuid4().hex[:12]}@example.com"


def is_valid(case, part):
    """Whether this part of the call was made to be valid."""
    meta = case.meta
    if meta is None:
        return True
    for location, component in meta.components.items():
        if location.container_name == part or str(location) == part:
            return component.mode.is_positive
    return meta.generation.mode.is_positive
