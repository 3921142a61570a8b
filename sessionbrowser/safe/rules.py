"""Shapes that only a secret has: tokens with a beginning of their own, keys, headers, arguments of known programs."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sessionbrowser.safe.names import MARKS as NAMES
from sessionbrowser.safe.names import WORD
from sessionbrowser.safe.values import is_none, is_placeholder, is_plain


class Rule(NamedTuple):
    """A kind of secret: what it looks like (the last group that matched, or all of it), and marks it can't do without.

    Marks are in small letters. A shape takes no more steps over a text than some for each character: what repeats has a
    bound, or cannot begin anew inside itself.
    """

    name: str
    shape: re.Pattern[str]
    marks: tuple[str, ...]
    keep: Callable[[str], bool] = lambda value: False  # whether a find is no secret after all
    long: bool = False  # whether only a long run of letters and digits can be one
    also: tuple[str, ...] = ()  # one of these has to be there too

    def may_be_in(self, low: str) -> bool:
        """Whether a text (in small letters) has what the rule can't do without."""
        return any(mark in low for mark in self.marks) and (not self.also or any(mark in low for mark in self.also))


def found(rule: Rule, text: str) -> Iterator[tuple[int, int]]:
    """The places of what a rule finds in a text."""
    for match in rule.shape.finditer(text):
        start, end = match.span(match.lastindex or 0)
        value = text[start:end]
        if "[masked:" not in value and not value.startswith("masked:") and not rule.keep(value):
            yield start, end


_END = r"(?=…|\Z)"
# What a letter or digit before a token may be the end of: \n, %3D, \u003d, \x1b, the colours of a terminal.
_ESCAPED = r"(?<=\\[abefnrtv0])|(?<=%[0-9A-Fa-f]{2})|(?<=%25[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2})|(?<=[\[;]\dm)|(?<=[\[;]\d\dm)"
_AFTER_ALL = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})"
_AFTER_WORDS = rf"(?:(?<![A-Za-z0-9_-])|{_ESCAPED})"


def _token(name: str, shape: str, *marks: str, anywhere: str = "", after: str = _AFTER_ALL, first: str = "") -> Rule:
    """A token with a beginning of its own, that of a word; with `anywhere`, one that may begin inside a word, too.

    Where its marks are in many texts, its `first` characters are looked at before all else.
    """
    begun = rf"{f'(?=[{first}])' if first else ''}{after}(?:{shape})"
    return Rule(name, re.compile(f"{anywhere}|{begun}" if anywhere else begun), marks, long=True)


# What stands behind the first line of a key, and not behind one that a text is about: on the next line, which may be numbered or
# quoted, a header or a long run of base64.
_KEY_MATTER = r"(?:\\[nr]|[\s\d→|+>\"',\\]){1,60}(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z\-]{2,20}: |[A-Za-z0-9+/=]{4,16}(?:…|\Z))"
_ARGUMENT = r"(?:\"([^\"\n]{1,400})\"|'([^'\n]{1,400})'|([^\s\"'$<{][^\s\"']{3,}))"
_ARGUMENTS = (
    r"\bsshpass\s+(?:-[vP]\S{0,40}\s+){0,2}-p\s{0,4}",
    r"\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb(?:-\w{1,20})?)\b[^\n|;&]{0,200}?\s-p",
    r"\b(?:docker|podman|buildah|az|oc)\s+login\b[^\n|;&]{0,200}?\s-p[\s=]{1,4}",
    r"\bmongo(?:sh|dump|restore|export|import)?\b[^\n|;&]{0,200}?\s-p\s{1,4}",
    r"\bredis-cli\b[^\n|;&]{0,200}?\s-a\s{1,4}",
    r"\s-pass(?:in|out)?\s{1,4}pass:",
    r"\bmachine\s{1,4}\S{1,80}\s{1,4}login\s{1,4}\S{1,80}\s{1,4}password\s{1,4}",
    r"(?<=-u )\s{0,4}[\w.\-]{1,60}:",
    r"(?<=--user )\s{0,4}[\w.\-]{1,60}:",
    r"\bcurl\b[^\n|;&]{0,200}?\s(?:-u|--user=)[\w.\-]{1,60}:",
)
_OF_COOKIES = ("samesite", "path", "domain", "max-age", "expires")  # settings beside a cookie


def _no_pair(value: str) -> bool:
    """Whether a value in base64 is not `user:password`."""
    try:
        return b":" not in binascii.a2b_base64(value + "=" * (-len(value) % 4))
    except binascii.Error:
        return True


def _no_cookie(value: str) -> bool:
    """Whether no cookie of a header is more than a placeholder or a setting."""
    pairs = (pair.strip().partition("=") for pair in value.split(";"))
    return not any(len(said) >= 6 and not is_placeholder(said) and name.lower() not in _OF_COOKIES for name, _, said in pairs)


def _no_address(value: str) -> bool:
    return value.startswith("://") or value.lower().startswith(("git@", "noreply@", "no-reply@"))


SHAPES: tuple[Rule, ...] = (
    Rule("private key", re.compile(rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----(?={_KEY_MATTER})[\s\S]*?(?:-----END [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----|\Z)"), ("private key",)),
    _token("age key", r"AGE-SECRET-KEY-1[0-9A-Z]{10,}", "age-secret-key", anywhere=r"AGE-SECRET-KEY-1[0-9A-Z]{30,}"),
    Rule("AWS key", re.compile(rf"(?:(?<![A-Z0-9])|{_ESCAPED})(?:AKIA|ASIA|ABIA|ACCA)(?:[A-Z2-7]{{16}}(?![A-Z0-9])|[A-Z2-7]{{4,15}}{_END})"), ("akia", "asia", "abia", "acca"), lambda value: value.endswith("EXAMPLE")),
    _token("GitHub token", rf"gh[pousr]_[A-Za-z0-9]{{16,}}|gh[pousr]_[A-Za-z0-9]{{4,}}{_END}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", anywhere=r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{20,}"),
    _token("GitLab token", r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|oas)-[A-Za-z0-9_\-]{16,}", "glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glsoat-", "gloas-", anywhere=r"glpat-[A-Za-z0-9_\-]{20,}"),
    _token("Slack token", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}", "xox", "xapp-", anywhere=r"xox[abeoprs]-\d[A-Za-z0-9-]{10,}"),
    Rule("webhook", re.compile(r"https://hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_]{20,})|https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/([\w/\-]{30,})|https://[\w.]{1,200}\.webhook\.office\.com/(\S{30,})"), ("hooks.slack.com", "webhook")),
    _token("Stripe key", r"(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}", "k_live_", "k_test_", "k_prod_", "whsec_", anywhere=r"[sr]k_live_(?=[A-Za-z]{0,99}\d)[A-Za-z0-9]{20,}"),
    _token("Anthropic key", r"sk-ant-[A-Za-z0-9_\-]{12,}", "sk-ant-", anywhere=r"sk-ant-[a-z]{3,5}\d\d-[A-Za-z0-9_\-]{12,}"),
    _token("OpenAI key", r"sk-(?:proj-|svcacct-|admin-|or-v1-)[A-Za-z0-9_\-]{20,}|sk-(?=[A-Za-z]{0,99}\d)[A-Za-z0-9]{32,}", "sk-"),
    _token("Google key", r"AIza[A-Za-z0-9_\-]{30,}|GOCSPX-[A-Za-z0-9_\-]{20,}|ya29\.[A-Za-z0-9_\-]{20,}|1//0[A-Za-z0-9_\-]{30,}", "aiza", "gocspx-", "ya29.", "1//0"),
    _token("npm token", r"npm_[A-Za-z0-9]{30,}", "npm_", anywhere=r"npm_[A-Za-z0-9]{36,}"),
    _token("PyPI token", r"pypi-A[A-Za-z0-9_\-]{30,}", "pypi-a", anywhere=r"pypi-AgE[A-Za-z0-9_\-]{30,}"),
    _token("SendGrid key", r"SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}", "sg."),
    _token("Twilio key", r"(?:SK|AC)[0-9a-f]{32}(?![0-9a-f])", "sk", "ac", first="AS"),
    _token("Mailgun key", r"key-[0-9a-f]{32}(?![0-9a-f])", "key-", after=_AFTER_WORDS, first="k"),
    _token("Mailchimp key", r"[0-9a-f]{32}-us\d{1,2}(?!\d)", "-us", after=_AFTER_WORDS, first="0-9a-f"),
    _token("Hugging Face token", r"(?:hf|api_org)_[A-Za-z]{30,}", "hf_", "api_org_"),
    _token("cloud token", r"do[opr]_v1_[0-9a-f]{40,}|dapi[0-9a-f]{32}|hv[sbr]\.[A-Za-z0-9_\-]{20,}|ATATT3x[A-Za-z0-9_\-=]{30,}|pul-[0-9a-f]{40}|rnd_[A-Za-z0-9]{20,}|fo1_[\w\-]{30,}|dp\.(?:pt|st|sa)\.[A-Za-z0-9.]{30,}|glsa_[A-Za-z0-9_]{30,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}", "_v1_", "dapi", "hvs.", "hvb.", "hvr.", "atatt3x", "pul-", "rnd_", "fo1_", "dp.", "glsa_", "v1.0-"),
    _token("service token", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}|dckr_pat_[\w\-]{20,}|lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,}|figd_[\w\-]{30,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|sntry[su]_[\w+/=\-]{30,}|phc_[A-Za-z0-9]{30,}|sq0(?:atp|csp)-[\w\-]{20,}|tskey-[\w\-]{20,}|sbp_[0-9a-f]{40}|PMAK-[0-9a-f\-]{40,}|rubygems_[0-9a-f]{40,}", "shp", "dckr_pat_", "lin_api_", "ntn_", "secret_", "figd_", "gsk_", "xai-", "pplx-", "r8_", "sntry", "phc_", "sq0", "tskey-", "sbp_", "pmak-", "rubygems_"),
    _token("service token", r"EAAA[\w\-]{50,}|cio[A-Za-z0-9]{32}", "eaaa", "cio", after=_AFTER_WORDS, first="Ec"),
    _token("bot token", r"\d{8,10}:AA[A-Za-z0-9_\-]{30,}", ":aa", first="0-9"),
    _token("bot token", r"[MNO][A-Za-z\d_\-]{23,25}\.[\w\-]{6}\.[\w\-]{27,}", ".", after=_AFTER_WORDS, first="MNO"),
    _token("JWT", rf"(?:[A-Za-z0-9_\-]{{0,60}}?[-_])?(eyJ[A-Za-z0-9_\-]{{10,}}\.(?:eyJ[A-Za-z0-9_\-]{{6,}}(?:\.[A-Za-z0-9_\-]*)?|[A-Za-z0-9_\-]{{0,}}{_END})|eyJ[A-Za-z0-9_\-]{{8,}}{_END})", "eyj", after=_AFTER_WORDS),
    Rule("password", re.compile(r"(?<![\w+.\-])[a-z][a-z0-9+.\-]{1,30}://[^\s:/@\"'<>]{0,80}:([^\s/\"'<>]{1,200})@(?=[\w\[$])", re.I), ("://",), is_placeholder),
    Rule("password", re.compile(r"(?i)(?:AccountKey|SharedAccessKey|SharedSecretIssuer|Password|Pwd)=([^;\s\"'<>{}$]{6,})(?=;|\s|[\"']|\Z)"), ("key=", "password=", "pwd=", "issuer="), is_none),
    Rule("password", re.compile(f"(?:{'|'.join(_ARGUMENTS)}){_ARGUMENT}"), ("sshpass", "mysql", "mariadb", "login", "mongo", "redis-cli", "pass:", "-u ", "--user ", "curl"), is_placeholder),
    Rule("secret", re.compile(r"(?i)<[\w-]{0,20}(?:password|passwd|pwd|secret|token|api[_-]?key)>([^<\s]{6,200})</"), ("</",), is_none),
    Rule("signature", re.compile(r"[?&]sig=([A-Za-z0-9%+/=]{20,})"), ("sig=",)),
    Rule("credentials", re.compile(r"(?i)\b(?:authorization|proxy-authorization)\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?(?:(?:bearer|basic|token|digest|apikey)\s{1,4}([^\s\"'\\]{6,})|((?=[A-Za-z_\-.+/=]{0,99}\d)[\w\-.+/=]{20,}))"), ("authorization",), is_none),
    Rule("credentials", re.compile(r"(?i)\bbearer\s{1,4}((?=[^\s\"']{0,200}\d)[A-Za-z0-9_\-.=+/~]{16,})"), ("bearer",), is_none),
    Rule("credentials", re.compile(r"(?:\"auth\\?\"\s{0,4}:\s{0,4}\\?\"|\b_auth\s{0,4}=\s{0,4}\"?)([A-Za-z0-9+/]{10,}={0,2})"), ("auth\"", "auth\\\"", "_auth"), _no_pair),
    Rule("cookie", re.compile(r"(?i)(?:\b(?:set-)?cookie\\?[\"']?\s{0,4}:\s{0,4}\\?[\"']?|--cookie[ =]{1,4}[\"']?|\bcurl\b[^\n|;&]{0,200}?\s-b\s{0,4}[\"']?)([\w.\-]{1,64}=[^\r\n\"'\\]{6,})"), ("cookie", "curl"), _no_cookie, also=("=",)),
    Rule("secret", re.compile(rf"(?i)(?<![\w-])--?(?:[\w\-]{{0,40}}-)?{WORD}(?:=|\s{{1,4}})[\"']?([^\s\"'\-$<{{][^\s\"']{{5,}})"), NAMES, lambda value: is_none(value) or value.startswith("id="), also=("-",)),
    Rule("secret", re.compile(rf"(?i)\b{WORD}\s{{1,4}}(?:is|was|ist)\s{{0,4}}:?\s{{1,4}}[\"'`]?([^\s\"'`,]{{6,}})"), NAMES, is_plain, also=(" is ", " was ", " ist ", " is:")),
)  # fmt: skip

# Not the user of an address on the web (ssh://ada@host), of a copy (ada@host:path), a version (left-pad@1.3.0).
EMAIL = Rule("e-mail", re.compile(
    r"://[^\s/@]{1,200}@[\w.\-]{1,200}"
    r"|(?<![\w.+\-$])(?<!//)[^\W_][\w.+\-]{0,63}(?:@|%40)(?!\d+x\.)(?:[\w\-]{1,63}\.)+(?:xn--[a-z0-9\-]{2,40}|[^\W\d_]{2,24})(?![\w\-]|:[\w/])"
), ("@", "%40"), _no_address)  # fmt: skip
