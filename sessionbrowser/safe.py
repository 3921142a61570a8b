"""Masking what must not be handed on: keys, tokens, passwords, connection strings, addresses. No network, no guesses.

The rules follow what detectors such as gitleaks and detect-secrets look for: a shape that only a secret has, or a
value that is given a secret's name. What only looks like one (placeholders, variables, calls, hashes, versions) is
left alone. A rule is tried only where one of its marks stands in the text, so that masking costs little.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_SECRET = "secret"


class Rule(NamedTuple):
    """A kind of secret: what it looks like (the group `secret`, or all of it), and marks it can't do without, in small letters."""

    name: str
    shape: re.Pattern[str]
    marks: tuple[str, ...]
    keep: Callable[[str], bool] = lambda value: False  # whether a find is no secret after all
    long: bool = False  # whether only a long run of letters and digits can be one
    also: tuple[str, ...] = ()  # one of these has to be there too


def _token(name: str, shape: str, *marks: str) -> Rule:
    """A token with a beginning of its own. Cut short by the end of the text it counts from a few characters on."""
    return Rule(name, re.compile(rf"(?<![A-Za-z0-9_-])(?:{shape})"), marks, long=True)


_END = r"(?=…|\Z)"
_PLACEHOLDER = re.compile(
    r"(?i)\A(?:[<{$%\[(*].*|.*(?:\.\.\.|…\S|example|placeholder|changeme|redacted|dummy|your[_-]|my[_-]?(?:pass|token|key|secret)\b).*"
    r"|(.)\1{4,}.*|x{3,}.*|(?:none|null|true|false|undefined|string|str|bytes|secret|token|password|passwd|optional|required|any|object)\W*)\Z"
)
_CODE = re.compile(r"(?:\A|[^\w])(?:process\.env|os\.environ|os\.getenv|getenv|env\.|config\.|settings\.|self\.|this\.|secrets\.|vault\.)|\w\(|\A[A-Za-z_]\w*(?:\.\w+)+\Z|\A[A-Za-z_]\w*\[")


def _no_value(value: str) -> bool:
    """Whether a value with a secret's name is none: a placeholder, a variable, a call, a type."""
    value = value.strip("\"'`\\")
    return len(value) < 6 or bool(_PLACEHOLDER.match(value)) or bool(_CODE.search(value))


def _plain_word(value: str) -> bool:
    """The same for a value that stands bare: a word alone is prose or code."""
    return _no_value(value) or not ((re.search(r"\d", value) and re.search(r"[A-Za-z]", value)) or re.search(r"[^\w.,:;)\]}\-/]", value))


_NAMES = r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|api[_-]?key|access[_-]?key|secret[_-]?key|account[_-]?key|auth[_-]?key|signing[_-]?key|private[_-]?key|encryption[_-]?key|apikey|authtoken|client[_-]?secret|passcode|pin[_-]?code)"
_NAMED = rf"{_NAMES}[\w\-]{{0,20}}"
_UPPER = (
    r"(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|CREDENTIALS?|(?:API|ACCESS|SECRET|ACCOUNT|AUTH|SIGNING|PRIVATE|ENCRYPTION)_?KEY)"
    r"[A-Z0-9_]{0,20}"
)
_MARKS = ("pass", "pwd", "secret", "token", "credential", "_key", "-key", "apikey", "accesskey", "secretkey", "accountkey", "authkey", "signingkey",
          "privatekey", "encryptionkey", "pin_code", "pin-code", "pincode")

RULES: tuple[Rule, ...] = (
    Rule("private key", re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"), ("private key",)),
    _token("age key", r"AGE-SECRET-KEY-1[0-9A-Z]{10,}", "age-secret-key"),
    Rule("AWS key", re.compile(r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)(?:[A-Z2-7]{16}(?![A-Z0-9])|[A-Z2-7]{4,15}" + _END + ")"), ("akia", "asia", "abia", "acca"), lambda value: value.endswith("EXAMPLE")),
    _token("GitHub token", r"gh[pousr]_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{4,}" + _END + "|github_pat_[A-Za-z0-9_]{20,}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    _token("GitLab token", r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|oas)-[A-Za-z0-9_\-]{16,}", "gl"),
    _token("Slack token", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}", "xox", "xapp-"),
    Rule("webhook", re.compile(r"https://hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9+/_]{20,})|https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/(?P<secret2>[\w/\-]{30,})|https://[\w.]+\.webhook\.office\.com/(?P<secret3>\S{30,})"), ("hooks.slack.com", "webhook")),
    _token("Stripe key", r"(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}", "k_live_", "k_test_", "k_prod_", "whsec_"),
    _token("Anthropic key", r"sk-ant-[A-Za-z0-9_\-]{12,}", "sk-ant-"),
    _token("OpenAI key", r"sk-(?:proj-|svcacct-|admin-|or-v1-)[A-Za-z0-9_\-]{20,}|sk-(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{32,}", "sk-"),
    _token("Google key", r"AIza[A-Za-z0-9_\-]{30,}|GOCSPX-[A-Za-z0-9_\-]{20,}|ya29\.[A-Za-z0-9_\-]{20,}|1//0[A-Za-z0-9_\-]{30,}", "aiza", "gocspx-", "ya29.", "1//0"),
    _token("npm token", r"npm_[A-Za-z0-9]{30,}", "npm_"),
    _token("PyPI token", r"pypi-A[A-Za-z0-9_\-]{30,}", "pypi-a"),
    _token("SendGrid key", r"SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}", "sg."),
    _token("Twilio key", r"(?:SK|AC)[0-9a-f]{32}(?![0-9a-f])", "sk", "ac"),
    _token("Mailgun key", r"key-[0-9a-f]{32}(?![0-9a-f])", "key-"),
    _token("Mailchimp key", r"[0-9a-f]{32}-us\d{1,2}(?!\d)", "-us"),
    _token("Hugging Face token", r"(?:hf|api_org)_[A-Za-z]{30,}", "hf_", "api_org_"),
    _token("cloud token", r"do[opr]_v1_[0-9a-f]{40,}|dapi[0-9a-f]{32}|hv[sbr]\.[A-Za-z0-9_\-]{20,}|ATATT3x[A-Za-z0-9_\-=]{30,}|pul-[0-9a-f]{40}|rnd_[A-Za-z0-9]{20,}|fo1_[\w\-]{30,}|dp\.(?:pt|st|sa)\.[A-Za-z0-9.]{30,}|glsa_[A-Za-z0-9_]{30,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}", "_v1_", "dapi", "hvs.", "hvb.", "hvr.", "atatt3x", "pul-", "rnd_", "fo1_", "dp.", "glsa_", "v1.0-"),
    _token("service token", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}|dckr_pat_[\w\-]{20,}|lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,}|figd_[\w\-]{30,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|sntry[su]_[\w+/=\-]{30,}|phc_[A-Za-z0-9]{30,}|sq0(?:atp|csp)-[\w\-]{20,}|EAAA[\w\-]{50,}|tskey-[\w\-]{20,}|sbp_[0-9a-f]{40}|PMAK-[0-9a-f\-]{40,}|rubygems_[0-9a-f]{40,}|cio[A-Za-z0-9]{32}", "shp", "dckr_pat_", "lin_api_", "ntn_", "secret_", "figd_", "gsk_", "xai-", "pplx-", "r8_", "sntry", "phc_", "sq0", "eaaa", "tskey-", "sbp_", "pmak-", "rubygems_", "cio"),
    _token("bot token", r"\d{8,10}:AA[A-Za-z0-9_\-]{30,}|[MNO][A-Za-z\d_\-]{23,25}\.[\w\-]{6}\.[\w\-]{27,}", ":aa", "."),
    _token("JWT", r"eyJ[A-Za-z0-9_\-]{10,}\.(?:eyJ[A-Za-z0-9_\-]{6,}(?:\.[A-Za-z0-9_\-]*)?|[A-Za-z0-9_\-]{0,}" + _END + ")|eyJ[A-Za-z0-9_\\-]{8,}" + _END, "eyj"),
    Rule("password", re.compile(r"(?<![\w+.\-])[a-z][a-z0-9+.\-]{1,30}://[^\s:/@\"'<>]{0,80}:(?P<secret>[^\s/@\"'<>]{1,200})@(?=[\w\[$])", re.I), ("://",), lambda value: bool(_PLACEHOLDER.match(value)) or value.startswith("$")),
    Rule("password", re.compile(r"(?i)(?:AccountKey|SharedAccessKey|SharedSecretIssuer|Password|Pwd)=(?P<secret>[^;\s\"'<>{}$]{6,})(?=;|\s|[\"']|\Z)"), ("key=", "password=", "pwd=", "issuer="), _no_value),
    Rule("credentials", re.compile(r"(?i)\b(?:authorization|proxy-authorization)\\?[\"']?\s*[:=]\s*\\?[\"']?(?:bearer|basic|token|digest|apikey)\s+(?P<secret>[^\s\"'\\]{6,})"), ("authorization",), _no_value),
    Rule("credentials", re.compile(r"(?i)\b(?:bearer)\s+(?P<secret>(?=[^\s\"']*\d)[A-Za-z0-9_\-.=+/~]{16,})"), ("bearer",), _no_value),
    Rule("password", re.compile(r"(?i)(?<=-u )\s*[\w.\-]{1,60}:(?P<secret>[^\s\"']{4,})|(?<=--user )\s*[\w.\-]{1,60}:(?P<secret2>[^\s\"']{4,})"), ("-u ", "--user "), lambda value: bool(_PLACEHOLDER.match(value))),
    Rule("secret", re.compile(rf"(?i){_NAMED}\\?[\"'`]?\s{{0,4}}(?:=>|:=|=|:)\s{{0,4}}(?P<secret>(?P<quote>\\?[\"'`])(?:(?!(?P=quote)).){{4,400}}(?P=quote))"), _MARKS, _no_value, also=("=", ":")),
    Rule("secret", re.compile(rf"{_UPPER}=(?P<secret>[^\s\"'`;&|<>$(){{}}]{{4,}})"), _MARKS, _no_value, also=("=",)),
    Rule("secret", re.compile(rf"(?i){_NAMED}\\?[\"'`]?\s{{0,4}}(?:=>|:=|=|:)\s{{0,4}}(?P<secret>[^\s\"'`,;&|<>(){{}}\[\]]{{6,}})"), _MARKS, _plain_word, also=("=", ":")),
    Rule("secret", re.compile(rf"(?i)(?<!\w)--?(?:[\w\-]{{0,40}}-)?{_NAMES}(?:=|\s+)[\"']?(?P<secret>[^\s\"'\-$<{{][^\s\"']{{5,}})"), _MARKS, _no_value, also=("-",)),
    Rule("secret", re.compile(rf"(?i)\b{_NAMES}\s+(?:is|was|ist)\s*:?\s+[\"'`]?(?P<secret>[^\s\"'`,]{{6,}})"), _MARKS, _plain_word, also=(" is ", " was ", " ist ", " is:")),
    Rule("e-mail", re.compile(r"(?<![\w.+/:\-])[A-Za-z0-9][\w.+\-]{0,63}@(?!\d+x\.)(?:[A-Za-z0-9\-]{1,63}\.)+[A-Za-z]{2,24}(?![\w\-]|:[\w/])"), ("@",), lambda value: value.lower().startswith(("git@", "noreply@", "no-reply@"))),
)  # fmt: skip

_LONG = re.compile(r"[A-Za-z0-9_\-]{16}")
_EDGE = re.compile(r"[A-Za-z0-9_+/=.\-]{12,}(?=…\s*\Z)|(?<=\A…)[A-Za-z0-9_+/=.\-]{12,}")


def mask(text: str, *, cut: bool = False) -> str:
    """`text` with every secret in it replaced by `[masked: what it was]`.

    With `cut`, the text is a piece of a longer one (marked with … where it was cut): what could be half a secret at a
    cut edge is masked too.
    """
    low = text.lower()
    has_long = "…" in text or _LONG.search(text) is not None
    for rule in RULES:
        if (has_long or not rule.long) and _may_hold(low, rule):
            text = rule.shape.sub(lambda found, rule=rule: _masked(found, rule), text)  # type: ignore[misc]
    return _EDGE.sub(_masked_edge, text) if cut else text


def _may_hold(low: str, rule: Rule) -> bool:
    """Whether a text (in small letters) has what a rule can't do without."""
    return any(mark in low for mark in rule.marks) and (not rule.also or any(mark in low for mark in rule.also))


def _masked(found: re.Match[str], rule: Rule) -> str:
    name, value = _value(found)
    if "[masked:" in value or value.startswith("masked:") or rule.keep(value):
        return found[0]
    start, end = found.span(name)
    start, end = start - found.start(), end - found.start()
    quote = found.groupdict().get("quote") or ""
    return found[0][:start] + quote + f"[masked: {rule.name}]" + quote + found[0][end:]


def _value(found: re.Match[str]) -> tuple[str | int, str]:
    """The group that holds the secret, and the secret."""
    for name in (_SECRET, "secret2", "secret3"):
        value = found.groupdict().get(name)
        if value is not None:
            return name, value
    return 0, found[0]


def _masked_edge(found: re.Match[str]) -> str:
    """Half a token at a cut edge; words, paths and numbers are none."""
    value = found[0]
    mixed = re.search(r"\d", value) and re.search(r"[a-z]", value) and re.search(r"[A-Z]", value)
    looks_random = mixed or re.search(r"(?=[a-f0-9]*\d)(?=\d*[a-f])[a-f0-9]{12,}", value)
    return "[masked: cut]" if looks_random else value


def deep_mask(value: object) -> object:
    """A JSON value with every string in it masked, keys left as they are."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _under(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [deep_mask(item) for item in value]
    return value


def _under(key: str, value: object) -> object:
    """A value under a key whose name may say that it is a secret."""
    if isinstance(value, str) and re.search(_NAMES, key, re.I) and not _plain_word(value):
        return f"[masked: {_SECRET}]"
    return deep_mask(value)
