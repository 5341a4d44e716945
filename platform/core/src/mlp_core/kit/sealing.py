"""Small secrets at rest: authenticated encryption under a key derived from the platform's secret."""

from __future__ import annotations

import hashlib
import hmac

from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

_HEADER = {"alg": "dir", "enc": "A256GCM"}


class Sealer:
    """Seals for one purpose; what was sealed for another cannot be opened."""

    def __init__(self, secret: str, purpose: str) -> None:
        derived = hmac.digest(secret.encode(), b"mlp seal v1 " + purpose.encode(), hashlib.sha256)
        self._key = OctKey.import_key(derived)

    def seal(self, plain: bytes) -> str:
        return jwe.encrypt_compact(_HEADER, plain, self._key)

    def open(self, sealed: str) -> bytes | None:
        """The plain bytes; None where the seal is broken or was made under another key."""
        try:
            return jwe.decrypt_compact(sealed, self._key).plaintext
        except (JoseError, ValueError):
            return None
