"""Results never take the place of what is there, and places are looked at before the work."""

import errno
import tempfile

import pytest

from commands_helpers import TABLE, ask

pytestmark = pytest.mark.usefixtures("quick_methods")


@pytest.mark.parametrize("way", ["itself", "another spelling", "a symbolic link", "a hard link"])
def test_results_never_take_the_place_of_the_table(
    way, home, said_of_fit, tmp_path, capsys, monkeypatch
):
    TABLE.write_csv(tmp_path / "table.csv")
    before = (tmp_path / "table.csv").read_bytes()
    (tmp_path / "soft.csv").symlink_to("table.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "table.csv")
    monkeypatch.chdir(tmp_path)
    names = {"itself": "table.csv", "another spelling": f"../{tmp_path.name}/table.csv"}
    out = (names | {"a symbolic link": "soft.csv", "a hard link": "hard.csv"})[way]
    for said in (
        ask(capsys, "effect", home / "model", "table.csv", "-o", out),
        ask(capsys, "effect", home / "model", out, "-o", tmp_path / "table.csv"),
    ):
        assert (said.code, "--out is the table itself" in said.flat) == (2, True)
    said = ask(capsys, "fit", "table.csv", "--treatment", "drug", "--outcome", "health", "-o", out)
    assert (said.code, "it is left alone" in said.flat) == (2, True)
    assert (tmp_path / "table.csv").read_bytes() == before


def test_results_do_not_lie_among_the_files_of_the_model(home, said_of_fit, capsys):
    files = sorted((home / "model").iterdir())
    said = ask(
        capsys, "effect", home / "model", home / "table.csv", "-o", home / "model" / "effects.csv"
    )
    assert (said.code, "among the files of the model" in said.flat) == (2, True)
    assert sorted((home / "model").iterdir()) == files


@pytest.mark.parametrize("command", ["effect", "report"])
def test_a_place_where_nothing_can_be_written_is_told_before_the_work(
    command, tmp_path, capsys, monkeypatch
):
    ending = {"effect": "csv", "report": "html"}[command]
    words = [
        command,
        tmp_path / "no model",
        *([tmp_path / "no table.csv"] if command == "effect" else []),
    ]
    (tmp_path / f"folder.{ending}").mkdir()
    said = ask(capsys, *words, "-o", tmp_path / f"folder.{ending}")
    assert (said.code, "--out must be a file, got the folder" in said.flat) == (2, True)

    def read_only(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(tempfile, "TemporaryFile", read_only)
    said = ask(capsys, *words, "-o", tmp_path / f"file.{ending}")
    assert (
        said.code,
        "takes no files (Read-only file system). Name another place" in said.flat,
    ) == (2, True)
