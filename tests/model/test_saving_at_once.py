"""Several processes and threads save into one folder, are killed while they do, and others load."""

import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pairnet.core.locks import locked
from pairnet.model import folder as folders
from pairnet.model.folder import BadModel, read
from saves import TIMES, check_tidy, check_whole, save, save_often


def test_of_several_processes_one_wins_whole_and_readers_always_see_a_whole_model(tmp_path):
    context, writers = multiprocessing.get_context("spawn"), 3
    together, queue = context.Barrier(writers), context.Queue()
    arguments = lambda who: (tmp_path, who, together, queue)
    processes = [context.Process(target=save_often, args=arguments(who)) for who in range(writers)]
    for process in processes:
        process.start()
    seen = 0
    while any(process.is_alive() for process in processes) and queue.empty():
        places = [tmp_path / "one", *tmp_path.glob("new *")]
        for place in places[:1] + places[-2:]:
            if place.exists():
                check_whole(place)
                seen += 1
    errors = [queue.get(timeout=60) for _ in processes]
    for process in processes:
        process.join(60)
    assert errors == [[]] * writers
    assert seen > 10
    for place in (tmp_path / "one", *tmp_path.glob("new *")):
        check_whole(place)
        check_tidy(place)
    assert len(list(tmp_path.iterdir())) == TIMES + 1


def test_threads_of_one_process_save_at_once(tmp_path):
    path = tmp_path / "model"

    def work(who):
        for turn in range(10):
            save(path, who, turn)
            check_whole(path)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    check_tidy(path)


# This process has no JAX in it, so that it may fork: each child saves until it is killed.
KILLS = """
import os, random, signal, sys, time
from pathlib import Path
from saves import check_tidy, check_whole, save
place, kills = Path(sys.argv[1]), int(sys.argv[2])
killed_inside = 0
for kill in range(kills):
    path = place / ("model" if kill % 2 else f"new {kill}")
    child = os.fork()
    if child == 0:
        for turn in range(1, 1000):
            save(path, 7, turn, values=20_000)
        os._exit(0)
    time.sleep(random.Random(kill).uniform(0.0, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    killed_inside += bool([name for name in os.listdir(place) if name.startswith(".")])
    killed_inside += path.exists() and len(os.listdir(path)) > 2
    if path.exists():
        check_whole(path)
    save(path, 8, kill)
    check_whole(path)
    check_tidy(path)
print(killed_inside)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_killed_save_leaves_a_whole_model_and_the_next_save_cleans_up(tmp_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([p for p in sys.path if p])}
    call = [sys.executable, "-c", KILLS, str(tmp_path), "60"]
    said = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    assert int(said.stdout) > 5  # kills that left something to clean up


def test_a_save_removes_what_killed_ones_left_and_nothing_else(tmp_path):
    path, weights = tmp_path / "model", "weights-0123456789abcdef.safetensors"
    save(path, 1, 1)
    left = [path / weights, path / f".{weights}.abcd1234.part", path / ".model.json.abcd1234.part"]
    mine = [path / "weights-of-mine.safetensors", path / ".model.json.part", tmp_path / ".model"]
    mine += [tmp_path / ".model.12345678.part", path / ".notes.abcd1234.part"]
    for file in left + mine:
        file.write_text("x")
    save(path, 1, 2)
    assert not any(map(os.path.exists, left))
    assert all(map(os.path.exists, mine))
    new, parts = (
        tmp_path / "new",
        [tmp_path / ".new.abcd1234.part", tmp_path / ".new.dcba4321.part"],
    )
    for part, name in zip(parts, ("model.json", "thesis.txt"), strict=True):
        part.mkdir()
        (part / name).write_text("x")
    save(new, 1, 3)
    assert not parts[0].exists()
    assert (parts[1] / "thesis.txt").exists()


def test_a_new_folder_in_which_a_save_was_killed_can_be_saved_into(tmp_path):
    (tmp_path / "model").mkdir()
    for name in (".pairnet-lock", "weights-0123456789abcdef.safetensors"):
        (tmp_path / "model" / name).write_text("")
    with pytest.raises(BadModel, match="it has no model.json"):
        read(tmp_path / "model")
    save(tmp_path / "model", 1, 1)
    check_whole(tmp_path / "model")
    check_tidy(tmp_path / "model")


def test_a_save_that_fails_leaves_no_weights_behind(tmp_path, monkeypatch):
    save(tmp_path / "model", 1, 1)
    before = sorted(os.listdir(tmp_path / "model"))
    put = folders._put

    def full_disk(path, data):
        if path.name == "model.json":
            raise OSError(28, "No space left on device")
        put(path, data)

    monkeypatch.setattr(folders, "_put", full_disk)
    for place in (tmp_path / "model", tmp_path / "new"):
        with pytest.raises(OSError, match="No space left"):
            save(place, 2, 2)
    assert os.listdir(tmp_path) == ["model"]
    assert sorted(os.listdir(tmp_path / "model")) == before
    check_whole(tmp_path / "model")


def test_who_loads_while_another_saves_reads_again(tmp_path, monkeypatch):
    save(tmp_path / "model", 1, 1)
    content_of, turns = folders._content, iter(range(2, 5))

    def saved_meanwhile(path, text):
        content = content_of(path, text)
        for turn in turns:
            save(path, 1, turn)
            break
        return content

    monkeypatch.setattr(folders, "_content", saved_meanwhile)
    content, arrays, _ = read(tmp_path / "model")
    assert content["turn"] == 4
    assert arrays["a"][0] == 1004


def test_a_folder_that_is_deleted_while_it_is_loaded_is_a_sentence(tmp_path, monkeypatch):
    save(tmp_path / "model", 1, 1)
    content_of = folders._content

    def deleted_meanwhile(path, text):
        shutil.rmtree(path)
        return content_of(path, text)

    monkeypatch.setattr(folders, "_content", deleted_meanwhile)
    with pytest.raises(BadModel, match="There is no model at"):
        read(tmp_path / "model")


def test_a_save_waits_for_another_and_says_so_if_that_takes_too_long(tmp_path, monkeypatch):
    save(tmp_path / "model", 1, 1)
    monkeypatch.setattr(folders, "LONGEST_WAIT", 0.2)
    for place, lock in (("model", "model/.pairnet-lock"), ("new", ".new.pairnet-lock")):
        with (
            locked(tmp_path / lock),
            pytest.raises(TimeoutError, match=rf"has been saving a model at .*{place} for 0.2 s"),
        ):
            save(tmp_path / place, 2, 2)
    monkeypatch.undo()
    free = threading.Event()

    def hold():
        with locked(tmp_path / "model" / ".pairnet-lock"):
            free.set()
            time.sleep(0.3)

    thread = threading.Thread(target=hold)
    thread.start()
    free.wait()
    save(tmp_path / "model", 3, 3)
    thread.join()
    assert read(tmp_path / "model")[0]["who"] == 3
    check_tidy(tmp_path / "model")


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    save(tmp_path / "models" / "first", 1, 1)
    (tmp_path / "current").symlink_to(tmp_path / "models" / "first")
    save(tmp_path / "current", 2, 2)
    assert (tmp_path / "current").is_symlink()
    assert read(tmp_path / "models" / "first")[0]["who"] == 2
    check_tidy(tmp_path / "models" / "first")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_model_is_as_private_as_the_process_makes_its_files(tmp_path):
    before = os.umask(0o077)
    try:
        save(tmp_path / "model", 1, 1)
    finally:
        os.umask(before)
    paths = [tmp_path / "model", *(tmp_path / "model").iterdir()]
    assert [path.stat().st_mode & 0o077 for path in paths] == [0, 0, 0]
