"""Which authorities are trusted. That boto3 trusts the same is tested over connections (tests/auth/test_fetch.py)."""

import ssl
from pathlib import Path

import botocore.session
import pytest
from botocore.exceptions import InvalidConfigError

from graph.aws.authorities import ca_bundle, client_context
from tests.aws.network.authority import Authority


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")


def test_the_first_setting_counts_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def named(profile: str | None = None) -> str | None:
        return ca_bundle(botocore.session.Session(profile=profile))

    config = tmp_path / "config"
    config.write_text("[default]\nca_bundle = /of/default\n[profile other]\nca_bundle = /of/other\n[profile none]\n")
    assert named() is None
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/of/requests")
    assert named() == "/of/requests"
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    assert [named(), named("other"), named("none")] == ["/of/default", "/of/other", "/of/requests"]
    monkeypatch.setenv("AWS_CA_BUNDLE", "/of/aws")
    assert [named(), named("other"), named("none")] == ["/of/aws"] * 3


def test_without_any_setting_the_authorities_are_those_that_come_with_boto3() -> None:
    assert len(client_context(botocore.session.Session()).get_ca_certs()) > 50


def test_authorities_without_key_identifiers_are_taken_by_every_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(Authority(tmp_path).bundle))
    context = client_context(botocore.session.Session())
    assert not context.verify_flags & ssl.VERIFY_X509_STRICT
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert len(context.get_ca_certs()) == 1


@pytest.mark.parametrize("content", [None, b"", b"no certificate", "a directory"])
def test_a_file_without_authorities_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | str | None
) -> None:
    bundle = tmp_path / "bundle.pem"
    if isinstance(content, bytes):
        bundle.write_bytes(content)
    elif content is not None:
        bundle.mkdir()
    monkeypatch.setenv("AWS_CA_BUNDLE", str(bundle))
    with pytest.raises(InvalidConfigError, match=str(bundle)):
        client_context(botocore.session.Session())


def test_an_empty_setting_is_no_reason_to_trust_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", "")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "")
    with pytest.raises(InvalidConfigError):
        client_context(botocore.session.Session())
