"""Where OpenCode's sessions are found, and which of several stores is believed."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from sessionbrowser.model import Handle, SetAside, Unreadable
from sessionbrowser.paths import Environment
from sessionbrowser.sources import present

from .stores import data_home, handles, model, source, user, write_database, write_early_tree, write_tree


def test_an_absent_agent_has_no_roots(env: Environment) -> None:
    """A home without OpenCode costs nothing more."""
    assert source(env).roots() == []


def test_the_registry_finds_its_folder(env: Environment) -> None:
    """The source is imported only where its folder is."""
    before = [entry.name for entry in present(env)]
    data_home(env).mkdir(parents=True)
    assert "opencode" not in before and "opencode" in [entry.name for entry in present(env)]


def test_xdg_data_home_moves_the_store(env: Environment, tmp_path: Path) -> None:
    """As it does for OpenCode itself."""
    moved = env._replace(variables={**env.variables, "XDG_DATA_HOME": str(tmp_path / "data")})
    write_database(tmp_path / "data" / "opencode" / "opencode.db", user("hello"))
    assert [handle.id for handle in handles(moved)] == ["ses_one"]


def test_a_variable_names_another_database(env: Environment, tmp_path: Path) -> None:
    """OPENCODE_DB with an absolute path."""
    path = write_database(tmp_path / "elsewhere.db", user("hello"))
    moved = env._replace(variables={**env.variables, "OPENCODE_DB": str(path)})
    assert [handle.path for handle in handles(moved)] == [str(path)]


def test_databases_of_other_channels_are_read(env: Environment) -> None:
    """`opencode-dev.db` is one too."""
    write_database(data_home(env) / "opencode-dev.db", user("hello"))
    assert [handle.id for handle in handles(env)] == ["ses_one"]


def test_both_generations_of_trees_are_found(env: Environment) -> None:
    """Files of 1.1 and of 0.5 lie side by side after an upgrade."""
    write_tree(data_home(env), user("later"), session="ses_later")
    write_early_tree(data_home(env), "early")
    assert sorted(handle.id for handle in handles(env)) == ["ses_early", "ses_later"]


def test_a_migrated_session_is_listed_once(env: Environment) -> None:
    """The tree is left behind by the migration: what the database has is set aside there, with the reason."""
    write_tree(data_home(env), user("hello"))
    write_tree(data_home(env), user("never migrated"), session="ses_two")
    write_database(data_home(env) / "opencode.db", user("hello"))
    made = source(env)
    found = list(made.discover(made.roots()[0]))
    assert sorted((item.id, bool(item.key)) for item in found if isinstance(item, Handle)) == [("ses_one", True), ("ses_two", False)]
    assert [item.reason for item in found if isinstance(item, SetAside)] == ["also in the database"]


def test_a_torn_database_costs_only_its_sessions(env: Environment) -> None:
    """The reason is one line, and the tree is still listed."""
    write_tree(data_home(env), user("hello"))
    (data_home(env) / "opencode.db").write_bytes(b"SQLite format 3\0" + b"\7" * 4000)
    made = source(env)
    found = list(made.discover(made.roots()[0]))
    (trouble,) = [item for item in found if isinstance(item, Unreadable)]
    assert "damaged" in trouble.reason and "\n" not in trouble.reason
    assert [item.id for item in found if isinstance(item, Handle)] == ["ses_one"]


def test_children_are_hidden_under_their_parent(env: Environment) -> None:
    """In the database they are known before they are opened."""
    path = data_home(env) / "opencode.db"
    write_database(path, user("task"), session="ses_main")
    write_database(path, user("look around"), session="ses_child", parent_id="ses_main")
    found = {handle.id: handle for handle in handles(env)}
    assert (found["ses_child"].hidden, found["ses_child"].parent) == ("subagent", "ses_main")


def test_a_child_whose_parent_is_gone_is_listed(env: Environment) -> None:
    """Nothing else would lead to it."""
    write_database(data_home(env) / "opencode.db", user("look around"), parent_id="ses_gone")
    assert handles(env)[0].hidden == ""


def test_one_new_message_changes_one_handle(env: Environment) -> None:
    """The other sessions of the database are not read again."""
    path = data_home(env) / "opencode.db"
    write_database(path, user("a"), session="ses_a")
    write_database(path, user("b"), session="ses_b")
    before = {handle.id: handle for handle in handles(env)}
    import sqlite3

    database = sqlite3.connect(path)
    database.execute("update message set time_updated = time_updated + 5000 where session_id = 'ses_b'")
    database.commit()
    database.close()
    after = {handle.id: handle for handle in handles(env)}
    assert before["ses_a"] == after["ses_a"] and before["ses_b"] != after["ses_b"]


def test_a_new_message_in_a_tree_changes_its_handle(env: Environment) -> None:
    """A session's own file is not always touched; the folder of its messages is."""
    own = write_tree(data_home(env), user("a"))
    before = handles(env)[0]
    folder = own.parents[2] / "message" / "ses_one"
    os.utime(folder, ns=(before.mtime_ns + 10**9, before.mtime_ns + 10**9))
    assert handles(env)[0].mtime_ns > before.mtime_ns


@pytest.mark.parametrize("inside", ["", "opencode", ".local/share/opencode"])
def test_a_copy_opens_from_wherever_it_is_pointed_at(env: Environment, tmp_path: Path, inside: str) -> None:
    """The data folder, the folder above it, or a whole home."""
    write_tree(tmp_path / "copy" / inside, user("hello"))
    root = source(env).root_at(str(tmp_path / "copy"), "copy")
    assert root is not None and root.label == "copy" and not root.live


def test_a_storage_folder_opens_under_any_name(env: Environment, tmp_path: Path) -> None:
    """The part of the store that holds the trees, copied somewhere."""
    write_tree(tmp_path, user("hello"))
    (tmp_path / "storage").rename(tmp_path / "kept")
    made = source(env)
    root = made.root_at(str(tmp_path / "kept"), "kept")
    assert root is not None and [item.id for item in made.discover(root) if isinstance(item, Handle)] == ["ses_one"]


def test_a_database_file_opens_as_a_root(env: Environment, tmp_path: Path) -> None:
    """`--root some.db`."""
    path = write_database(tmp_path / "some.db", user("hello"))
    root = source(env).root_at(str(path), "some")
    assert root is not None and [item.id for item in source(env).discover(root) if isinstance(item, Handle)] == ["ses_one"]


def test_another_programs_folder_is_no_root(env: Environment, tmp_path: Path) -> None:
    """A folder of anything else, or an SQLite file of anything else, is refused."""
    import sqlite3

    database = sqlite3.connect(tmp_path / "other.db")
    database.execute("create table words (word)")
    database.commit()
    database.close()
    made = source(env)
    assert made.root_at(str(tmp_path), "") is None and made.root_at(str(tmp_path / "other.db"), "") is None


def test_a_linked_session_file_is_not_followed(env: Environment, tmp_path: Path) -> None:
    """A link in a store may lead anywhere."""
    own = write_tree(data_home(env), user("hello"))
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps({"id": "ses_out", "title": "secret"}))
    (own.parent / "ses_out.json").symlink_to(outside)
    assert [handle.id for handle in handles(env)] == ["ses_one"]


def test_an_id_cannot_lead_out_of_the_store(env: Environment) -> None:
    """A message that calls itself ../../x reads no file outside its folder."""
    own = write_tree(data_home(env), user("hello", id="../../../secret"))
    secret = own.parents[3] / "secret"
    shutil.copytree(own.parents[2] / "part" / "msg_ses_one_000", secret)
    (secret / "prt_0.json").write_text(json.dumps({"type": "text", "text": "outside"}))
    made = source(env)
    assert [block.title for block in made.outline(handles(env)[0]).blocks] == ["hello"]


def test_nothing_changes_in_the_store(demo_home: Path, env: Environment) -> None:
    """Listing, reading and looking for subagents leave every file, time and folder as they were."""

    def picture() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(data_home(env).rglob("*"))}

    before = picture()
    made = source(env)
    for handle in handles(env):
        made.summarise(handle)
        outline = made.outline(handle)
        for block in outline.blocks:
            made.body(handle, block)
        made.agents(handle, outline)
    assert picture() == before


def test_parts_are_not_visited_to_list_sessions(env: Environment) -> None:
    """Discovery opens no message and no part: they may be tens of thousands."""
    own = write_tree(data_home(env), user("a"), model("b"))
    shutil.rmtree(own.parents[2] / "part")
    (own.parents[2] / "part").write_text("not a folder at all")
    assert [handle.id for handle in handles(env)] == ["ses_one"]


def test_a_variable_may_name_a_database_in_the_folder_itself(env: Environment) -> None:
    """Whatever it is called; one with a usual name is found once."""
    path = write_database(data_home(env) / "work.db", user("hello"))
    write_database(data_home(env) / "opencode-dev.db", user("there"), session="ses_two")
    named = [env._replace(variables={**env.variables, "OPENCODE_DB": name}) for name in ("work.db", "opencode-dev.db")]
    assert [sorted(handle.id for handle in handles(one)) for one in named] == [["ses_one", "ses_two"], ["ses_two"]]
    assert {handle.path for handle in handles(named[0]) if handle.id == "ses_one"} == {str(path)}
