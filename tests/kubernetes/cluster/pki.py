"""Certificates and kubeconfigs of one cluster: three authorities, and one certificate for each part of it."""

from __future__ import annotations

import base64
import datetime as dt
import ipaddress
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFE = dt.timedelta(days=30)


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, as files."""

    certificate: Path
    key: Path


@dataclass(frozen=True)
class Authority:
    """Signs certificates and keeps them in one folder."""

    folder: Path
    name: str
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @property
    def path(self) -> Path:
        return self.folder / f"{self.name}.crt"

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @classmethod
    def at(cls, folder: Path, name: str) -> Authority:
        """The authority of that name in `folder`, made now where there is none."""
        try:
            key = serialization.load_pem_private_key((folder / f"{name}.key").read_bytes(), None)
            certificate = x509.load_pem_x509_certificate((folder / f"{name}.crt").read_bytes())
        except FileNotFoundError:
            return cls._create(folder, name)
        return cls(folder, name, cast("ec.EllipticCurvePrivateKey", key), certificate)

    @classmethod
    def _create(cls, folder: Path, name: str) -> Authority:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _subject(name, None)
        usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
        certificate = (
            _builder(subject, subject, key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(usage, critical=True)
            .sign(key, hashes.SHA256())
        )
        made = cls(folder, name, key, certificate)
        _write(folder, name, certificate, key)
        return made

    def issue(self, file: str, user: str, group: str | None = None, names: Sequence[str] = ()) -> Pair:
        """A certificate for `user` of `group` (how Kubernetes reads subjects), valid as a server under `names`."""
        key = ec.generate_private_key(ec.SECP256R1())
        purposes = [ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = _builder(_subject(user, group), self.certificate.subject, key)
        if names:
            purposes.append(ExtendedKeyUsageOID.SERVER_AUTH)
            builder = builder.add_extension(x509.SubjectAlternativeName([_name(name) for name in names]), False)
        builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        return _write(self.folder, file, builder.sign(self.key, hashes.SHA256()), key)


def service_account_keys(folder: Path) -> Pair:
    """The keys that service account tokens are signed and checked with; `certificate` is the public key."""
    pair = Pair(folder / "service-accounts.pub", folder / "service-accounts.key")
    if pair.key.exists():
        return pair
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pair.certificate.write_bytes(
        private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    _write_key(pair.key, private)
    return pair


def kubeconfig(server: str, authority: Authority, user: dict[str, str]) -> str:
    """The text of a kubeconfig (JSON, which is YAML without its traps); `user` as kubeconfigs spell credentials."""
    cluster = {"server": server, "certificate-authority-data": base64.b64encode(authority.pem).decode()}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "mlp-test",
            "clusters": [{"name": "mlp-test", "cluster": cluster}],
            "users": [{"name": "me", "user": user}],
            "contexts": [{"name": "mlp-test", "context": {"cluster": "mlp-test", "user": "me"}}],
        },
        indent=1,
    )


def by_certificate(pair: Pair) -> dict[str, str]:
    """Credentials for `kubeconfig`, with the certificate inside."""
    return {
        "client-certificate-data": base64.b64encode(pair.certificate.read_bytes()).decode(),
        "client-key-data": base64.b64encode(pair.key.read_bytes()).decode(),
    }


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + _LIFE)
    )


def _subject(user: str, group: str | None) -> x509.Name:
    names = [x509.NameAttribute(NameOID.COMMON_NAME, user)]
    if group is not None:
        names.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, group))
    return x509.Name(names)


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _write(folder: Path, name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> Pair:
    path = folder / f"{name}.crt"
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return Pair(path, _write_key(folder / f"{name}.key", key))


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> Path:
    path.touch(0o600)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
    )
    return path
