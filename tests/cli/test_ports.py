"""A port or an address that can't be listened on is named, with the reason of the system."""

import socket
from pathlib import Path

import pytest

from core.doors import cli
from core.doors.cli.serving import HOST, free_port

ELSEWHERE = "192.0.2.1"
"""An address of documentation (RFC 5737), which no machine has."""


@pytest.fixture(autouse=True)
def _workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_WORKSPACE", str(tmp_path / "workspace"))  # which `tessera app` sets


def refused(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> str:
    with pytest.raises(SystemExit) as end:
        cli.main([*words, "--workspace", str(folder / "workspace")])
    assert end.value.code == 1
    assert not (folder / "workspace").exists()
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("command", [["app", "--no-browser"], ["serve"]])
def test_a_port_in_use_is_named(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server((HOST, 0)) as busy:
        port = busy.getsockname()[1]
        told = refused(capsys, tmp_path, *command, "--port", str(port))
    assert told.startswith(f"tessera: Tessera can't listen on {HOST}:{port}: "), told


def test_an_address_of_another_machine_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, tmp_path, "serve", "--host", ELSEWHERE)
    assert told.startswith(f"tessera: Tessera can't listen on {ELSEWHERE}:8501: "), told


def test_an_address_of_ipv6_is_listened_on() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no ::1")
    assert free_port(None, "::1")
