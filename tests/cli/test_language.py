"""The command line in the language of the terminal; what scripts read stays English."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer.main

from core.base.messages import from_json, render
from core.doors import cli
from tests import samples

CHINESE = re.compile("[一-鿿]")
COMMANDS: Any = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if name not in ("LANG", "LC_ALL", "LC_MESSAGES")}
    command = [sys.executable, "-m", "core.doors.cli", *map(str, arguments)]
    environment = {"PYTHONIOENCODING": "utf-8", "TESSERA_EMBEDDER": "tfidf"} | environment
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=known | environment, check=False)


def helps(calls: Iterable[Sequence[str]]) -> list[str]:
    """What `--help` prints for each call in Chinese, in one process, for its start takes longer than all of them."""
    code = (
        "import contextlib, json, sys; from core.doors import cli\n"
        "for call in json.loads(sys.argv[1]):\n"
        "    with contextlib.suppress(SystemExit): cli.main([*call, '--help'])\n"
        "    print(end='§')"
    )
    command = [sys.executable, "-c", code, json.dumps([*calls])]
    environment = os.environ | {"PYTHONIOENCODING": "utf-8", "TESSERA_LANGUAGE": "zh_CN"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=True)
    return done.stdout.split("§")[:-1]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    done = run("import", samples.write(folder / "vault"), "--workspace", folder / "workspace", LANG="zh_CN.UTF-8")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("新增 3，修改 0，改名 0，移除 0，未变 0，失败 0\n段落：3，已建索引：3")
    return folder / "workspace"


def test_help_is_in_the_language_of_the_terminal() -> None:
    printed = run("search", "--help", LANG="zh_CN.UTF-8").stdout
    assert printed.startswith("用法：")
    assert "选项:" in printed
    assert "--limit <int>              最多显示多少条结果。" in printed
    english = run("search", "--help", LANG="zh_CN.UTF-8", TESSERA_LANGUAGE="en").stdout
    assert english.startswith("Usage: ")
    assert not CHINESE.search(english)


def test_every_command_has_its_help_in_chinese() -> None:
    inner = [(name, part) for name, command in COMMANDS.items() for part in getattr(command, "commands", ())]
    calls: list[tuple[str, ...]] = [(), *((name,) for name in COMMANDS), *inner]
    for call, printed in zip(calls, helps(calls), strict=True):
        text = printed.partition("\n")[2]
        assert CHINESE.search(text), call
        assert not re.search(r"[a-z]+ [a-z]+ [a-z]+ [a-z]+", text), printed


def test_output_is_in_the_language_of_the_terminal(workspace: Path) -> None:
    question = ("search", "缓存雪崩和备份的区别", "--rerank", "none", "--workspace", workspace)
    head, *lines = run(*question, TESSERA_LANGUAGE="zh_CN", LANG="en_US.UTF-8").stdout.splitlines()
    assert head.startswith("3 条结果 · 语义与字词结合 · 展开搜索 · ")
    assert lines[0].startswith("第 1 轮：缓存雪崩（其中一方；找到 ")
    assert run(*question, LANG="de_DE.UTF-8").stdout.startswith("3 hits · by meaning and keyword · broad search · ")


def test_a_mistake_is_told_in_the_language_of_the_terminal(workspace: Path) -> None:
    done = run("search", "x", "--limit", "0", "--workspace", workspace, LC_ALL="zh_CN.UTF-8")
    assert (done.returncode, done.stderr) == (1, "tessera: 结果数是 0，应在 1 到 1,000 之间。\n")


@pytest.mark.parametrize(
    ("typed", "chinese", "english"),
    [
        (("statsu",), "没有命令 'statsu'。是不是 'status'？", "No such command 'statsu'. Did you mean 'status'?"),
        (("ask",), "缺少 'query'。", "'query' is missing."),
        (("search", "x", "--limit", "abc"), "'--limit' 应是数字。", "'--limit' must be a number."),
        (("search", "x", "--limt", "3"), "没有选项 --limt。", "There is no option --limt."),
        (
            ("status", "too", "many"),
            "这个命令不接受多出来的词：too many。含空格的文字请加引号。",
            "The command doesn't take these arguments: too many.",
        ),
    ],
)
def test_wrong_usage_is_told_in_the_language_of_the_terminal(
    typed: tuple[str, ...], chinese: str, english: str
) -> None:
    for language, problem in (("zh_CN", chinese), ("en", english)):
        done = run(*typed, TESSERA_LANGUAGE=language)
        assert (done.returncode, done.stdout) == (2, "")
        usage, line, more = filter(None, done.stderr.splitlines())
        assert usage.startswith("用法：" if language == "zh_CN" else "Usage: ")
        assert line.startswith(f"tessera: {problem.rstrip('。.')}")
        assert more.endswith("--help")


def test_json_is_english_with_the_message_beside_it(workspace: Path) -> None:
    done = run("search", "x", "--limit", "0", "--workspace", workspace, "--json", LANG="zh_CN.UTF-8")
    error = json.loads(done.stderr)
    assert (done.returncode, done.stdout) == (1, "")
    assert error["error"] == "The number of hits is 0 but must be between 1 and 1,000."
    assert error["message"]["text"] == "The {name} is {value} but must be between {least} and {most}."
    assert error["message"]["fields"].items() >= {"value": 0, "least": 1, "most": 1000}.items()
    assert render(from_json(error["message"]), "zh_CN") == "结果数是 0，应在 1 到 1,000 之间。"
    arguments = ("search", "tag:redis 缓存", "--rerank", "none", "--workspace", workspace, "--json")
    result = json.loads(run(*arguments, LANG="zh_CN.UTF-8").stdout)
    assert result["level_reason"] == "The question narrows the search: tag:redis."
    assert result["level_reason_message"]["fields"] == {"words": "tag:redis"}
