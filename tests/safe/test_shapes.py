"""Tokens behind escapes and joined words, addresses, arguments and headers; and look-alikes. All secrets are invented."""

from __future__ import annotations

import base64

import pytest

from sessionbrowser.safe import mask, masked

MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
GITHUB = "ghp_" + MIXED[:36]
STRIPE = "sk_" + "live_" + MIXED[:24]
PAIR = base64.b64encode(b"ada:difference-engine").decode()

TOKENS = (
    GITHUB, "gho_" + MIXED[:36], "github_pat_" + MIXED, STRIPE, "xoxb-" + "123456789012-" + MIXED[:24], "AKIA" + "QWERTYUIOPASDFGH",
    "AIza" + MIXED[:35], "npm_" + MIXED[:36], "glpat-" + MIXED[:20], "sk-" + "ant-api03-" + MIXED, "sk-" + "proj-" + MIXED,
    "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH", "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0." + MIXED,
)  # fmt: skip


ESCAPED = (r"a\n", r"{\"k\": \"\t", r"A\u003d", "?x%3D", "%2520%253D", r"\x1b", r"\033[0m", r"\e[1;32m", "=", "'")


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token[:8])
def test_what_is_escaped_before_a_token_does_not_hide_it(token: str) -> None:
    """A new line written as two characters, an equals sign as three or six, a colour."""
    for before in ESCAPED:
        assert token not in mask(before + token), before
        assert mask(before + token).startswith(before + "[masked: "), before


@pytest.mark.parametrize("token", [*TOKENS, "SK" + "0f1e2d3c4b5a69788796a5b4c3d2e1f0", "123456789:AA" + MIXED[:33]], ids=lambda token: token[:8])
def test_a_token_in_the_name_of_a_branch_is_masked(token: str) -> None:
    """Behind a dash or an underscore."""
    assert token not in mask(f"git push origin fix-{token}")
    assert token not in mask(f"fix_{token}")


@pytest.mark.parametrize("token", [GITHUB, "github_pat_" + MIXED, STRIPE, "npm_" + MIXED[:36], "glpat-" + MIXED[:20], "sk-" + "ant-api03-" + MIXED], ids=lambda token: token[:8])
def test_the_surest_tokens_are_masked_inside_words(token: str) -> None:
    """Whatever stands before them."""
    assert token not in mask("mykey" + token)


GIVEN = {
    "address in a link": ("mailto:ada@corp.io", "ada@corp.io"),
    "address of a sender": ("from:ada@corp.io", "ada@corp.io"),
    "address in a branch": ("git switch fix/ada@corp.io", "ada@corp.io"),
    "address with umlaut": ("write to ada@müller.de", "ada@müller.de"),
    "escaped address": ("?to=ada%40corp.io", "ada%40corp.io"),
    "password with @": ("mysql://root:Pa9" + "@wordTail@db/prod", "wordTail"),
    "sshpass": ("sshpass -p " + "Kd8lovelace ssh host", "Kd8lovelace"),
    "sshpass with quotes": ("sshpass -p '" + "Kd8 love lace' ssh host", "Kd8 love lace"),
    "mysql": ("mysql -u root -p" + "Vb6lovelace prod", "Vb6lovelace"),
    "mysqldump": ("mysqldump --password=" + "Vb6lovelace prod", "Vb6lovelace"),
    "docker login": ("docker login -u ada -p " + "lovelace15 registry.corp.io", "lovelace15"),
    "redis-cli": ("redis-cli -h cache -a " + "lovelace15 ping", "lovelace15"),
    "openssl": ("openssl rsa -passin pass:" + "lovelace15", "lovelace15"),
    "netrc": ("machine corp.io login ada password " + "lovelace15", "lovelace15"),
    "docker config": ('{"auths": {"corp.io": {"auth": "' + PAIR + '"}}}', PAIR),
    "npmrc": ("_auth=" + PAIR, PAIR),
    "cookie": ("Cookie: theme=dark; sessionid=" + MIXED, MIXED),
    "set cookie": ("Set-Cookie: sid=" + MIXED + "; Domain=example.com; HttpOnly", MIXED),
    "cookie in JSON": ('{"cookie": "sid=' + MIXED + '"}', MIXED),
    "curl cookie": ("curl -s -b sid=" + MIXED + " https://corp.io", MIXED),
    "basic header": ("authorization: Basic " + PAIR, PAIR),
    "header without scheme": ("Authorization: " + MIXED, MIXED),
    "escaped header": (r"{\"Authorization\": \"Bearer " + MIXED + r"\"}", MIXED),
    "clone address": ("https://x-access-token:ghs_" + MIXED[:36] + "@github.com/a/b.git", MIXED[:36]),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_given_to_programs_and_servers_is_masked(name: str) -> None:
    """Alone, in a sentence, in a list."""
    text, secret = GIVEN[name]
    for around in ("{}", "please use {} for this", "- first\n- {}\n- last"):
        assert secret not in mask(around.replace("{}", text))


@pytest.mark.parametrize("text", [
    "task-" + MIXED[:34], "disk-proj-" + MIXED, "risk_" + "live_abcdefghijklmnopqrstuv", "cache-key-" + "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "highs_abcdefghijklmnopqrst", "glplatform-abcdefghijklmnop", "flaskSK" + "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "mysql -u root -p prod", "mysql -P 3306", "sshpass -p $PASSWORD ssh host", 'sshpass -p "${PASSWORD}" ssh', "docker run -p 8080:8080 login", "the login form password fields",
    '"auth": "required"', '"auth": "NextAuthHandler"', "Cookie: session=<id>", "Set-Cookie: SameSite=Strict", "cookie: sid=$SID",
    "grep -l '-----BEGIN RSA PRIVATE" + " KEY-----' *.pem", "Authorization: Bearer $TOKEN", "ssh://ada@host.corp.io/x", "rsync ada@host.io:dir .",
    "postgres://ada:$PASSWORD@db.corp.io/shop", "@app.route", "uses: actions/checkout@v4", "~/go/pkg/mod/github.com/ada/api@v1.2.3/go.mod", "img/icon@2x.png", "node_modules/left-pad@1.3.0/index.js", "a%20b", "left-pad%401.3.0",
])  # fmt: skip
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    """Words that hold a token's letters, prompts for passwords, ports, variables, addresses of machines."""
    assert mask(text) == text


def test_a_password_is_masked_up_to_the_host() -> None:
    """Whatever is in it."""
    assert mask("mysql://root:Pa9" + "@word@Tail@db/prod") == "mysql://root:[masked: password]@db/prod"


def test_a_place_is_found_again_in_the_masked_text() -> None:
    """Before, inside and behind what was masked."""
    text = f"one {GITHUB} two ada@corp.io three"
    found = masked(text)
    assert found.text == "one [masked: GitHub token] two [masked: e-mail] three"
    for word in ("one", "two", "three"):
        assert found.text[found.place(text.index(word)) :].startswith(word)
    assert found.text[found.place(text.index(GITHUB) + 20) :].startswith("[masked: GitHub token] two")


def test_what_several_rules_find_is_masked_once_and_whole() -> None:
    """Named after the surest of them."""
    assert mask(f'password = "{GITHUB} and more"') == 'password = "[masked: GitHub token]"'


BEGIN, END = "-----BEGIN RSA PRIVATE" + " KEY-----", "-----END RSA PRIVATE" + " KEY-----"


@pytest.mark.parametrize("form", ["{0}\n{1}\n{2}", "{0}\\n{1}\\n{2}", "     1→{0}\n     2→{1}\n     3→{2}", "+{0}\n+{1}\n+{2}", "{0}\nProc-Type: 4,ENCRYPTED\n\n{1}\n{2}"])
def test_a_key_is_masked_with_the_lines_before_it_numbered_or_marked(form: str) -> None:
    """As a file is printed, in JSON, in a diff; and behind a sentence that names its first line."""
    masked_key = mask(f"grep for {BEGIN} in files\n" + form.format(BEGIN, MIXED, END) + " after")
    assert MIXED not in masked_key
    assert masked_key.startswith(f"grep for {BEGIN} in files\n") and masked_key.endswith("[masked: private key] after")


@pytest.mark.parametrize("text", [f"The scanner greps for {BEGIN} in files.\n\nNext: the authentication module.", f"if '{BEGIN}' in text: authenticate(everything)"])
def test_a_text_about_keys_goes_on(text: str) -> None:
    """It holds none."""
    assert mask(text) == text


@pytest.mark.parametrize("text", ["curl -uada:{} https://corp.io", "curl --user=ada:{}", "<password>{}</password>", "https://x.corp.io/a?sv=1&sig={}%3D"])
def test_more_places_of_secrets(text: str) -> None:
    """Arguments without a blank, elements, signed addresses."""
    assert MIXED[:24] not in mask(text.format(MIXED[:24]))
