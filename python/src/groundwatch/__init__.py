"""Client of the Groundwatch API."""

from .client import PERILS, Groundwatch, Peril
from .errors import GroundwatchError
from .webhooks import SignatureError, verify_signature

__all__ = ["PERILS", "Groundwatch", "GroundwatchError", "Peril", "SignatureError", "verify_signature"]
