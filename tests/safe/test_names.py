"""Values that are given a secret's name, and names that only look like one. All secrets are invented."""

from __future__ import annotations

import re

import pytest

from sessionbrowser.safe import deep_mask, mask

VALUE = "s3same-open"

NAMES = ("dbPassword", "DB_PASSWORD", "db-password", "dbpassword", "DBPassword", "password2", "api-key", "apiKey", "APIKey", "API_KEY_2",
         "accessToken", "access_token", "accesstoken", "AUTH_TOKEN", "oauth2Token", "clientSecret", "secret_key_base", "awsSecretAccessKey",
         "rootPass", "db_pass", "dbpass", "MYSQL_PWD", "pwd", "credentials", "passphrase", "pin-code", "secrets", "privateKey")  # fmt: skip


FORMS = ('"{}": "{}"', "{}: {}", "{}={}", "const {} = '{}';", r"{{\"{}\": \"{}\"}}", r"a\n{}={}", "?{}={}&x=1", "?{}%3D{}")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_counts_by_its_parts(name: str) -> None:
    """However they are joined, in JSON, YAML, code, a shell, an address."""
    for form in FORMS:
        masked = mask(form.format(name, VALUE))
        assert VALUE not in masked, form
        assert name in masked, form


@pytest.mark.parametrize("text", [
    "PWD=/home/ada/src/api", "OLDPWD=/tmp/a1", "pwd: ~/src/web2", r"PWD=C:\Users\ada\api2", "docker run -v $PWD:/workspace/x1",
    '"max_tokens": "128000"', "MAX_TOKENS=128000", "total_tokens: 182_000", "tokens: 156.2k", '"tokens": "182000"', "input-token=128000",
    "tokenizer: bert-base-v2", 'tokenizer = "cl100k_base"', "TOKENIZERS_PARALLELISM=false1", "token: bert-base-v2", '"token": "identifier"',
    "compass: north1", "bypass: v1.2.3x", "passenger: seat12a", "secretary: bob7777", "40 passed: 40/40ok", "pass: 40/40ok", "pass: test2_login.py",
    'credentials: "same-origin"', "credentials: 'include'", 'token_type: "bearer"', "tokenType: Bearer1", '"secret_name": "prod-db-1"',
    "PASSWORD_FILE=/run/secrets/db1", 'secret: "/run/secrets/db1"', "--secret id=npmrc,src=/root/.npmrc1", '"password": "true"', "password: none",
    "def ask(prompt='Password: ', stream='terminal1')", "`tokens:` on rows", "the prompt `password: `, then `token 12`",
    "tokenUrl: https://corp.io/oauth2/token1", 'passwordPolicy: "strong-12"', "passwordless: true123",
    "token: Promise<string>", "password=getPassword(env)", "token=abc,user=bob", "PASSWORD=$(pass show x)", "DB_PASSWORD=${DB_PASSWORD}", "API_KEY=$KEY",
    'SECRET_KEY=os.environ["X"]', "use jsonwebtoken::{decode, encode}", "let token: Option<Token>;", "password: Password::new()", "tokens: [1,2,3]",
    'token_summary = "Token usage – "', 'password_prompt = "Enter your password: "', 'PASSWORD_HELP = "Use 8+ characters, 1 digit."',
    'colorToken: "#ff00aa"', "design tokens: --color-1", "api_key: https://docs.corp.io/keys2",
])  # fmt: skip
def test_what_names_no_secret_is_left_alone(text: str) -> None:
    """Counters, paths, kinds, words that begin or end like one; code, sentences and colours."""
    assert mask(text) == text


@pytest.mark.parametrize("text", [
    "DB_PASSWORD=" + "lovelace", "AUTH_TOKEN=" + "supersecretthing", '"token": "' + '12345678"', "password: '" + "difference-engine'",
    "max_tokens: 5, password=" + "hunter22", 'token_type: "x", "access_token": "' + VALUE + '"', "SECRET_KEY=/" + "a1B2c3D4e5F6/g7H8i9J0k1L2",
    "password = \"" + "a1B2c3D4 " * 100 + '"', "MYSQL_PWD=/" + "x9Kd2!",
])  # fmt: skip
def test_words_numbers_and_slashes_can_be_secrets(text: str) -> None:
    """Where the name says so."""
    assert "[masked: " in mask(text)


def test_a_quote_that_a_cut_left_open_hides_nothing() -> None:
    """The value goes on to the end."""
    assert mask('password = "' + "correct horse batt…", cut=True) == 'password = "[masked: secret]…'


def test_keys_of_data_count_as_names_do() -> None:
    """Counters and paths stay."""
    plain = {"max_tokens": "128000", "tokenizer": "bert-base-v2", "pwd": "/home/ada/src/api", "credentials": "same-origin"}
    assert deep_mask(plain) == plain
    assert deep_mask({"dbPassword": VALUE, "apiKey": VALUE}) == {"dbPassword": "[masked: secret]", "apiKey": "[masked: secret]"}


@pytest.mark.parametrize(("before", "secret"), [
    ("ADMIN_PASSWORD=", "P@$$w0rd!2024"), ("MYSQL_ROOT_PASSWORD=", "Sup3r$ecret!"), ("SECRET_KEY=", "a1$b2$c3d4e5"), ("DATABASE_PASSWORD=", "pa(ss)w0rd9"),
    ("PGPASSWORD=", "abcdef$1234"), ("password=", "Pa$$w0rd123"), ("Password: ", "Tr0ub4dor&3!"), ("password: ", "Tr0ub4dor,x99Z"),
    ("password=", "Tr0ub4dor<3!x"), ("password: ", "7>Kx9!mQ2"), ("Passwort: ", "Tr0ub4dor&3"), ("das Passwort ist ", "Tr0ub4dor3"),
])  # fmt: skip
def test_a_bare_secret_is_masked_to_its_end(before: str, secret: str) -> None:
    """Whatever signs are in it: half of one is most of one."""
    assert re.fullmatch(re.escape(before) + r"\[masked: (?:secret|password)\] and so on", mask(f"{before}{secret} and so on"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'password="abcd\"efgh12345" zebra', 'password="[masked: secret]" zebra'),
        (r'{"password":"ab\"cd12345"}', '{"password":"[masked: secret]"}'),
        (r'{\"password\": \"ab\\\"cd1234567\", \"x\": 1}', r'{\"password\": \"[masked: secret]\", \"x\": 1}'),
        (r"secret='it\'s 4 secret'", "secret='[masked: secret]'"),
    ],
)
def test_a_quote_behind_a_backslash_ends_no_secret(text: str, expected: str) -> None:
    assert mask(text) == expected
