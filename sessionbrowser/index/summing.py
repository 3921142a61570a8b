"""Filling the rows of the list with what their sessions add up to, newest first: what a background process does."""

from __future__ import annotations

from sessionbrowser.index.catalogue import Catalogue
from sessionbrowser.index.fulltext import TROUBLE
from sessionbrowser.index.fulltext_read import Reader
from sessionbrowser.index.sums import KeptSums, sums_of
from sessionbrowser.model import Handle
from sessionbrowser.paths import Environment

QUIET = 60.0  # seconds since the last change of a file that is worth reading whole
SMALL = 4 << 20  # bytes of a file that is read all the same


def fill(env: Environment, quiet: float = QUIET) -> None:
    """Read every session whose row does not know its counts and tokens. Raises NoCache, sqlite3.Error.

    May be killed at any moment: each session is kept as soon as it was read.
    """
    catalogue = Catalogue.open(env)
    try:
        kept = KeptSums(catalogue)
        kept.forget_lost()
        reader = Reader(env)
        tried: set[Handle] = set()
        while fresh := [handle for handle in kept.missing(int((env.now() - quiet) * 1e9), SMALL) if handle not in tried]:
            tried.update(fresh)
            for handle in fresh:
                _add_up(handle, kept, reader)
    finally:
        catalogue.close()


def _add_up(handle: Handle, kept: KeptSums, reader: Reader) -> None:
    sums = kept.get(handle)
    if sums is not None:
        kept.fill(handle, sums)
        return
    try:
        outline = reader.source(handle.source).outline(handle)
    except TROUBLE:  # its row says why
        return
    kept.keep(handle, sums_of(outline))
