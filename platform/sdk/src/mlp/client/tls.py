"""TLS: which authorities are trusted, and a sentence of its own for each way a certificate can be wrong."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

from mlp import errors
from mlp.client.certificate import Certificate

_NOT_YET_VALID, _EXPIRED = 9, 10
_WRONG_HOST, _WRONG_ADDRESS = 62, 64
_HOW_TO_TRUST = "pass --ca-file FILE, set MLP_CA_FILE or SSL_CERT_FILE, or save it with `mlp login --ca-file FILE`"


def context(ca_file: str | None) -> ssl.SSLContext:
    """Trusts the machine's store (`SSL_CERT_FILE` included), and the authorities in `ca_file` besides.

    Raises:
        ConfigError: `ca_file` is missing or holds no certificate.
    """
    made = ssl.create_default_context()
    if not _machine_has_store():
        _trust_bundle(made)
    if ca_file is None:
        return made
    try:
        made.load_verify_locations(cafile=Path(ca_file).expanduser())
    except OSError as error:  # ssl.SSLError is one
        raise errors.ConfigError(
            f"The CA file '{ca_file}' cannot be used: {error.strerror or error.reason or error}."
            if isinstance(error, ssl.SSLError)
            else f"The CA file '{ca_file}' cannot be read: {error.strerror}.",
            hint="It must be a PEM file with the certificate of the authority.",
        ) from None
    return made


def unverified_context() -> ssl.SSLContext:
    """For looking at a certificate that was refused, never for sending anything."""
    made = ssl.create_default_context()
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    return made


def _machine_has_store() -> bool:
    paths = ssl.get_default_verify_paths()
    if paths.cafile:
        return True
    return bool(paths.capath) and any(os.scandir(paths.capath))


def _trust_bundle(made: ssl.SSLContext) -> None:
    """Some Python builds look for the store where this machine has none: take the one httpx brings."""
    import certifi  # 3 ms, and only where the machine has no store

    made.load_verify_locations(cafile=certifi.where())


def refusal(error: ssl.SSLCertVerificationError, host: str, seen: Certificate | None) -> errors.UntrustedCertificate:
    """What to tell about a certificate that did not verify; `seen` is what the other side showed."""
    if error.verify_code in (_WRONG_HOST, _WRONG_ADDRESS):
        whose = f" It belongs to {seen.subject}." if seen else ""
        return errors.WrongHostName(
            f"The certificate that answers for '{host}' is for another host name.{whose}",
            hint="Use the name that is in the certificate as the platform's URL.",
        )
    if error.verify_code == _EXPIRED:
        when = f" on {seen.not_after}" if seen else ""
        return errors.CertificateExpired(
            f"The certificate of '{host}' expired{when}.",
            hint="Ask the platform's admin to renew it, and check this machine's clock.",
        )
    if error.verify_code == _NOT_YET_VALID:
        when = f" before {seen.not_before}" if seen else " yet"
        return errors.CertificateExpired(
            f"The certificate of '{host}' is not valid{when}.", hint="Check this machine's clock."
        )
    issuer = seen.issuer if seen else "an authority this machine does not know"
    return errors.UnknownAuthority(
        f"The certificate of '{host}' is signed by '{issuer}', which this machine does not trust.",
        hint=f"If that is your company's own authority: {_HOW_TO_TRUST}.",
    )
