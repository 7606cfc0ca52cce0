"""A certificate authority of the tests, and a certificate of it for this machine."""

import datetime as dt
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Lives in a directory; ``bundle`` is what trusts it."""

    def __init__(self, directory: Path) -> None:
        self.bundle = directory / "authority.pem"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "An authority of the tests")])
        certificate = self._sign(self._name, self._key, x509.BasicConstraints(ca=True, path_length=None))
        self.bundle.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        self._directory = directory

    def certificate(self, host: str = "localhost") -> Path:
        """A file with a key and a certificate for a name."""
        key = ec.generate_private_key(ec.SECP256R1())
        names: list[x509.GeneralName] = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        certificate = self._sign(subject, key, x509.SubjectAlternativeName(names))
        pem = self._directory / f"{host}.pem"
        pem.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        return pem

    def server(self, host: str = "localhost") -> ssl.SSLContext:
        """What a server of a name needs."""
        return serving(self.certificate(host))

    def client(self) -> ssl.SSLContext:
        """What trusts the authority, and nobody else."""
        context = ssl.create_default_context(cafile=str(self.bundle))
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # which Python 3.13 sets, and boto3 does not
        return context

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType
    ) -> x509.Certificate:
        now = dt.datetime.now(dt.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=1))
            .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
            .sign(self._key, hashes.SHA256())
        )


def serving(certificate: Path) -> ssl.SSLContext:
    """What a server with a certificate needs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
