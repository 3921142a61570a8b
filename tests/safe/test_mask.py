"""Secrets are masked, what only looks like one is not. All secrets here are invented and put together from pieces."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.safe import deep_mask, mask

MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
KEY = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEpAIBAAKCAQEA7bq\nq83vASNFZ4mrze8B\n-----END RSA PRIVATE" + " KEY-----"

SECRETS = {
    "private key": (KEY, "MIIEpAIBAAKCAQEA7bq"),
    "PGP key": (KEY.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"), "q83vASNFZ4mrze8B"),
    "age key": ("AGE-SECRET-" + "KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    "AWS key": ("AKIA" + "QWERTYUIOPASDFGH", "QWERTYUIOPASDFGH"),
    "AWS secret": ("aws_secret_access_key = " + MIXED, MIXED),
    "GitHub token": ("ghp_" + MIXED[:36], MIXED[:36]),
    "fine GitHub token": ("github_pat_" + MIXED, MIXED),
    "GitLab token": ("glpat-" + MIXED[:20], MIXED[:20]),
    "Slack token": ("xoxb-" + "123456789012-" + MIXED[:24], MIXED[:24]),
    "Slack webhook": ("https://hooks.slack.com/services/T00AAAA11/B00BBBB22/" + MIXED[:24], MIXED[:24]),
    "Discord webhook": ("https://discord.com/api/webhooks/123456789012345678/" + MIXED, MIXED),
    "Stripe key": ("sk_" + "live_" + MIXED[:24], MIXED[:24]),
    "Anthropic key": ("sk-" + "ant-api03-" + MIXED, MIXED),
    "OpenAI key": ("sk-" + "proj-" + MIXED, MIXED),
    "Google key": ("AIza" + MIXED[:35], MIXED[:35]),
    "npm token": ("npm_" + MIXED[:36], MIXED[:36]),
    "PyPI token": ("pypi-" + "AgEIcHlwaS5vcmc" + MIXED, MIXED),
    "SendGrid key": ("SG." + MIXED[:22] + "." + MIXED, MIXED[:22]),
    "Twilio key": ("SK" + HEX, HEX),
    "Mailgun key": ("key-" + HEX, HEX),
    "Hugging Face token": ("hf_" + (string.ascii_letters * 2)[:34], string.ascii_letters[:30]),
    "DigitalOcean token": ("dop_v1_" + HEX * 2, HEX),
    "Vault token": ("hvs." + MIXED, MIXED),
    "Telegram bot": ("123456789:AA" + MIXED[:33], MIXED[:33]),
    "JWT": ("eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0." + MIXED, "zdWIiOiIxMjM0In0"),
    "connection string": ("postgres://ada:" + "tr0ub4dor@db.internal:5432/shop", "tr0ub4dor"),
    "SQL Server string": ("Server=db;User Id=ada;Password=" + "S3cret!word;", "S3cret!word"),
    "Azure string": ("DefaultEndpointsProtocol=https;AccountName=ada;AccountKey=" + MIXED + "==;", MIXED),
    "bearer header": ("Authorization: Bearer " + MIXED, MIXED),
    "basic header": ('-H "Authorization: Basic ' + "YWRhOmxvdmVsYWNl" + '"', "YWRhOmxvdmVsYWNl"),
    "curl user": ("curl -u ada:" + "l0velace1815 https://api.internal", "l0velace1815"),
    "password in code": ('password = "' + "correct horse battery" + '"', "correct horse battery"),
    "password in JSON": ('{"db_password": "' + "difference-engine" + '"}', "difference-engine"),
    "escaped JSON": ('{\\"client_secret\\": \\"' + "difference-engine" + '\\"}', "difference-engine"),
    "environment": ("DB_PASSWORD=" + "lovelace", "lovelace"),
    "option": ("deploy --api-token " + MIXED[:20], MIXED[:20]),
    "sentence": ("the password is " + "Hunter22!", "Hunter22!"),
    "e-mail": ("write to ada.lovelace@analytical" + ".engine.org", "ada.lovelace@"),
}  # fmt: skip

HARMLESS = [
    "AKIAIOSFODNN7EXAMPLE",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "session e2e674a8-232e-58ac-834d-9f2b7c49a6c4",
    "password: str",
    "def sign_in(user: str, password: str) -> Token:",
    "token = await refresh(token)",
    "token=token, secret=secret",
    'password = os.environ["DB_PASSWORD"]',
    "const token = process.env.API_TOKEN",
    "API_KEY=<your key>",
    "API_KEY=${API_KEY}",
    'api_key = "your-api-key"',
    'password = "changeme"',
    "TOKEN=xxxxxxxxxxxx",
    "the token is refreshed every hour",
    "postgres://localhost:5432/shop",
    "postgres://ada@localhost/shop",
    "postgres://ada:$PASSWORD@localhost/shop",
    "git clone git@github.com:ada/api.git",
    "npm install left-pad@1.3.0 @types/node@22.1.0",
    "icon@2x.png",
    "pip install scikit-learn sk-learn",
    "max_tokens: 4096, total tokens: 182000",
    "keyboard: Ctrl+Shift+P",
    "see tests/test_login.py::test_token_expires",
    "the secret of good tests is determinism",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "token_type: bearer",
    "Bearer authentication is used",
    "tokens 156k",
]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked(name: str) -> None:
    """Alone, in a sentence, in a line of code, in a list."""
    text, secret = SECRETS[name]
    for around in ("{}", "please use {} for this", "run(\n    {}\n)", "- first\n- {}\n- last"):
        masked = mask(around.replace("{}", text))
        assert secret not in masked
        assert "[masked: " in masked


@pytest.mark.parametrize("name", SECRETS)
def test_half_a_secret_at_a_cut_is_masked(name: str) -> None:
    """However a title or a snippet was cut, no more than its first few characters are left."""
    text, secret = SECRETS[name]
    at = text.index(secret)
    for end in range(at + 13, at + len(secret)):
        piece = mask(f"please use {text[:end]}…", cut=True)
        if " " not in secret[:13] and any(char.isdigit() for char in secret[:13]) and secret[:13] != secret[:13].upper():
            assert secret[:13] not in piece, piece


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    """Placeholders, variables, calls, types, hashes, versions, prose."""
    assert mask(text) == text


def test_masking_twice_changes_nothing() -> None:
    """What was masked is no secret."""
    for text, _ in SECRETS.values():
        once = mask(text)
        assert mask(once) == once


@given(st.text(max_size=300))
@settings(deadline=None, max_examples=200)
def test_masking_never_fails(text: str) -> None:
    """Whatever the text, cut or not."""
    mask(text)
    mask(text, cut=True)


def test_long_texts_take_no_more_than_their_length() -> None:
    """A hundred thousand dashes, dots and words: no rule goes back and forth over them."""
    for piece in ("-", "a.", "a-", "password", "eyJ", "x@", "://a:", "=", "sk-", "-----BEGIN "):
        assert len(mask(piece * 30_000)) > 0


def test_values_under_telling_names_are_masked() -> None:
    """In data of any depth."""
    masked = deep_mask({"headers": {"api_token": "s3same-open"}, "list": ["ghp_" + MIXED[:36]], "count": 3})
    assert masked == {"headers": {"api_token": "[masked: secret]"}, "list": ["[masked: GitHub token]"], "count": 3}
