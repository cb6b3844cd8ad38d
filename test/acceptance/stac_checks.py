"""Reads /stac by pystac-client and judges it by stac-api-validator, which needs no network here.

The schemas of STAC 1.1.0 and GeoJSON are those that pystac ships. Schemas of extensions are on the Internet only: each is
taken as one that accepts all. Arguments: address, key, certificate authority, id of a collection. Prints one line of JSON.
"""

import io
import json
import os
import sys
import urllib.request
import warnings
from pathlib import Path

address, key, authority, collection = sys.argv[1:]
os.environ["SSL_CERT_FILE"] = os.environ["REQUESTS_CA_BUNDLE"] = authority
warnings.simplefilter("ignore")

import pystac.stac_io  # noqa: E402
import pystac.validation  # noqa: E402
import requests  # noqa: E402

SCHEMAS = Path(pystac.validation.__file__).parent / "jsonschemas"
STAC = "https://schemas.stacspec.org/v1.1.0/"
others = set()


def kept(url):
    """The schema at an address as bytes; None for an address of the service."""
    name = url.split("#")[0].rsplit("/", 1)[1]
    if url.startswith("https://geojson.org/schema/"):
        return (SCHEMAS / "geojson" / name).read_bytes()
    if url.startswith(STAC):
        return (SCHEMAS / "stac-spec" / "v1.1.0" / name).read_bytes()
    if url.startswith("https://stac-extensions.github.io/"):
        return b"{}"
    if not url.startswith(address.removesuffix("/stac")):
        others.add(url)
    return None


made, sent, opened = requests.Session.__init__, requests.Session.send, urllib.request.urlopen


def make(self):
    made(self)
    self.verify = authority


def send(self, request, **options):
    schema = kept(request.url)
    if schema is None:
        # The validator reads the description of the interface without its key.
        request.headers.setdefault("Authorization", f"Bearer {key}")
        return sent(self, request, **options)
    answer = requests.Response()
    answer.status_code, answer._content, answer.url = 200, schema, request.url
    return answer


def urlopen(request, *more, **options):
    schema = kept(request if isinstance(request, str) else request.full_url)
    return opened(request, *more, **options) if schema is None else io.BytesIO(schema)


requests.Session.__init__, requests.Session.send, urllib.request.urlopen = make, send, urlopen
pystac.stac_io.urlopen = urlopen
import stac_validator.utilities  # noqa: E402

stac_validator.utilities.urlopen = urlopen
from pystac_client import Client  # noqa: E402
from stac_api_validator.validations import validate_api  # noqa: E402

client = Client.open(address, headers={"Authorization": f"Bearer {key}"})
items = list(client.search(collections=[collection], limit=2).items())
by_get = list(client.search(collections=[collection], limit=2, method="GET", datetime="2026-06").items())
for item in items:
    assert item.ext.proj.shape == [530, 700], item.ext.proj.shape
held = client.get_collection(collection)
box = held.extent.spatial.bboxes[0]
ring = [[box[i], box[j]] for i, j in [(0, 1), (2, 1), (2, 3), (0, 3), (0, 1)]]

verbose, sys.stdout = sys.stdout, io.StringIO()
found, errors = validate_api(
    root_url=address,
    ccs_to_validate=["core", "collections", "features", "item-search"],
    collection=collection,
    geometry=json.dumps({"type": "Polygon", "coordinates": [ring]}),
    auth_bearer_token=key,
    auth_query_parameter=None,
    fields_nested_property=None,
    validate_pagination=True,
    query_config=None,
    transaction_collection=None,
    headers={},
)
sys.stdout = verbose
print(
    json.dumps(
        {
            "items": [item.id for item in items],
            "june": [item.id for item in by_get],
            "warnings": [text for _, text in found.errors],
            "errors": [text for _, text in errors.errors],
            "others": sorted(others),
        }
    )
)
