"""What leaves the screen: copies, the resume command, the way into a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser import clipboard
from sessionbrowser.model import Resume, ResumeOptions, Session
from sessionbrowser.paths import is_possible, shown
from sessionbrowser.resume import command, is_gone, program_of, ways
from sessionbrowser.text import one_line
from sessionbrowser.tui.background import Latest
from sessionbrowser.tui.dialogs.card import Card, Fact
from sessionbrowser.tui.dialogs.copy_menu import copies, copy_menu
from sessionbrowser.tui.dialogs.resume import Plan, chosen, plans, resume_menu
from sessionbrowser.tui.handover import hand_over, open_window, pane_of_process, show_pane

if TYPE_CHECKING:
    from sessionbrowser.tui.browser import Browser


class Leaving:
    """Copies and resumes the session that is being read."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._writing: Latest[str] = Latest(browser, patience=0.0)
        self._copying: Latest[clipboard.Copied] = Latest(browser, patience=0.0)

    # ── copies ──

    def copy_text(self, text: str, what: str) -> None:
        """Copy text, and say truthfully what became of it."""
        environment = self._browser.environment
        driver = self._browser.app._driver

        def write(data: bytes) -> None:
            if driver is not None:
                driver.write(data.decode("ascii", "replace"))
                driver.flush()

        self._copying.ask(
            lambda: clipboard.copy(text, environment, write), lambda copied, wrong: self._copied(copied, wrong, what)
        )

    def _copied(self, copied: clipboard.Copied | None, wrong: str, what: str) -> None:
        if copied is None:
            self._browser.say(f"not copied: {one_line(wrong)}", "bad")
        elif copied.by_hand:
            lines = [Fact(copied.message, style="dim"), Fact(""), Fact("", copied.by_hand[:20_000])]
            self._browser.app.push_screen(Card("copy by hand", lines))
        else:
            self._browser.say(f"{copied.message}: {one_line(what, 60)}", "ok" if copied.done else "text")

    def copy_command(self) -> None:
        """Copy the line that resumes the session."""
        session = self._session()
        if session is None:
            return
        resume = self._way_back(session)
        if resume is None:
            self._browser.say(_no_way_back(session), "warn")
            return
        if is_gone(resume) and not self._browser.environment.clock:  # the directories of invented sessions never were
            self._copy_elsewhere(session, resume)
        else:
            self._copy_line(resume)

    def _copy_line(self, resume: Resume) -> None:
        line = command(resume, self._browser.environment)
        self.copy_text(line, one_line(line, 200))

    def _copy_elsewhere(self, session: Session, resume: Resume) -> None:
        """The directory is gone: ask which of the lines that can work is to be copied."""
        environment = self._browser.environment
        made = plans(resume, {}, ways(resume.cwd or "", session, environment), environment, fork=False, gone=True)
        made = [plan for plan in made if plan.name.startswith("way") or plan.copied]
        menu = resume_menu(session, resume, made, environment, gone=True, title="copy the command")

        def done(choice: str | None) -> None:
            plan = chosen(made, choice)
            if plan is not None:
                self._copy_line(plan.resume)

        self._browser.app.push_screen(menu, done)

    def copy_menu(self) -> None:
        """Ask what to copy, then copy it."""
        browser, session = self._browser, self._session()
        if session is None:
            return
        resume = self._way_back(session)
        line = command(resume, browser.environment) if resume else ""
        offers = copies(session, line, browser.environment)
        block = browser.active == "reading" and browser.transcript.outline is not None

        def done(choice: str | None) -> None:
            if choice == "block":
                browser.transcript.action_copy_block()
            elif choice == "command":
                self.copy_command()
            elif choice == "markdown":
                self._copy_transcript(session)
            elif choice is not None:
                offer = next(offer for offer in offers if offer.name == choice)
                self.copy_text(offer.text, offer.label)

        browser.app.push_screen(copy_menu(offers, block=block), done)

    def _copy_transcript(self, session: Session) -> None:
        """Copy the transcript that is read (from the list: the session's) as Markdown; read and written in a thread."""
        browser, library = self._browser, self._browser.library
        shown = browser.transcript.outline if browser.active == "reading" else None
        try:
            handle = browser.transcript.handle if shown is not None else library.handle(session)
        except KeyError:
            handle = None
        if handle is None:
            browser.say("this session is not there any more", "warn")
            return

        def written() -> str:
            from sessionbrowser.export import markdown

            outline = shown if shown is not None and not browser.transcript.partial else library.outline(handle)
            return "".join(markdown.document(session, outline.blocks, "full", lambda block: library.body(handle, block)))

        self._writing.ask(
            written, lambda text, wrong: self.copy_text(text, "transcript") if text else browser.say(f"not copied: {wrong}")
        )

    # ── the way back into a session ──

    def resume(self, *, fork: bool) -> None:
        """Show how the session would be resumed, and do what is chosen."""
        browser, session = self._browser, self._session()
        if session is None:
            return
        environment = browser.environment
        if environment.clock:
            browser.say("this session is invented: there is nothing to resume", "warn")
            return
        resume = self._way_back(session, fork=fork)
        if resume is None:
            browser.say(_no_way_back(session), "warn")
            return
        installed = bool(program_of(resume, environment))
        others = {
            "fork": self._way_back(session, fork=True),
            "skip": self._way_back(session, fork=fork, skip_approvals=True),
        }
        gone = is_gone(resume)
        around = ways(resume.cwd or "", session, environment) if gone else []
        live = browser.library.live(session)
        pane = pane_of_process(live.pid, environment) if live is not None else None
        made = plans(resume, others, around, environment, fork=fork, pane=pane, gone=gone, installed=installed)
        title = "resume" if installed else "copy the command"
        menu = resume_menu(session, resume, made, environment, gone=gone, installed=installed, live=live, title=title)
        browser.app.push_screen(menu, lambda choice: self._go(chosen(made, choice)))

    def _go(self, plan: Plan | None) -> None:
        browser = self._browser
        if plan is None:
            return
        if plan.copied:
            self._copy_line(plan.resume)
        elif plan.pane is not None:
            problem = show_pane(plan.pane, browser.environment)
            if problem:
                browser.say(problem, "bad")
        elif plan.window:
            problem = open_window(plan.resume)
            browser.say(problem or "opened in a new tmux window", "bad" if problem else "ok")
        else:
            browser.keep_memory()
            environment = browser.environment
            browser.app.exit(lambda: hand_over(plan.resume, environment))

    def _session(self) -> Session | None:
        session = self._browser.reading.session
        if session is None:
            self._browser.say("no session is chosen")
        return session

    def _way_back(self, session: Session, *, fork: bool = False, skip_approvals: bool = False) -> Resume | None:
        return self._browser.library.resume(session, ResumeOptions(fork=fork, skip_approvals=skip_approvals))


def _no_way_back(session: Session) -> str:
    if not is_possible(session.resume_cwd or session.cwd or ""):
        return "nothing can resume this session: there can be no directory like the recorded one (it has a NUL in its name)"
    where = f" (a copy: {shown(session.root)})" if session.root else ""
    return f"nothing can resume this session{where}"
