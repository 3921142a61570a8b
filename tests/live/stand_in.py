"""A stand-in for the services that Claude Code and Codex talk to, on the loopback only: answers follow words in the prompt.

"slowly" streams an answer until it is told to stop, "shell" calls the shell (which asks for permission), anything else is
answered at once.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Piece = dict[str, Any]


class StandIn:
    """The service; `address` is what ANTHROPIC_BASE_URL has to be."""

    def __init__(self) -> None:
        self.enough = threading.Event()  # ends slow answers
        service = self

        class Handler(_Handler):
            stand_in = service

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.enough.set()
        self._server.shutdown()
        self._server.server_close()


def said_last(body: dict[str, Any]) -> tuple[str, bool]:
    """The newest words of the person, and whether the newest message is the result of a call."""
    for message in reversed(body.get("messages", [])):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        if isinstance(content, str):
            return content, False
        texts = [part.get("text", "") for part in content if part.get("type") == "text"]
        words = " ".join(text for text in texts if not text.startswith("<system-reminder>"))
        return words, any(part.get("type") == "tool_result" for part in content)
    return "", False


class _Handler(BaseHTTPRequestHandler):
    stand_in: StandIn
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_GET(self) -> None:
        self._json({}, 404)

    def do_HEAD(self) -> None:
        self._json({})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if self.path.endswith("/responses"):
            self._stream(responses(self.stand_in, body))
        elif "count_tokens" in self.path:
            self._json({"input_tokens": 10})
        elif not self.path.startswith("/v1/messages"):
            self._json({}, 404)
        elif not body.get("stream"):
            self._json(_message(body) | {"content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"})
        else:
            self._stream(self._events(body))

    def _json(self, value: object, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: Iterator[Piece]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for event in events:
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()
        except OSError:  # the program had enough
            pass
        self.close_connection = True

    def _events(self, body: dict[str, Any]) -> Iterator[Piece]:
        words, is_result = said_last(body)
        yield {"type": "message_start", "message": _message(body)}
        if "shell" in words and not is_result and body.get("tools"):
            yield from _call("Bash", {"command": "tail -f /dev/null", "description": "Wait"})
            stop = "tool_use"
        else:
            yield from self._words(words)
            stop = "end_turn"
        yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}}
        yield {"type": "message_stop"}

    def _words(self, words: str) -> Iterator[Piece]:
        yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        yield _text("All done. ")
        if "slowly" in words:
            while not self.stand_in.enough.wait(0.3):
                yield _text("word ")
        yield {"type": "content_block_stop", "index": 0}


def _text(text: str) -> Piece:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}


def _call(name: str, arguments: object) -> Iterator[Piece]:
    block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:24]}", "name": name, "input": {}}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": json.dumps(arguments)}}
    yield {"type": "content_block_stop", "index": 0}


def _message(body: dict[str, Any]) -> Piece:
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
    return {"id": f"msg_{uuid.uuid4().hex[:24]}", "type": "message", "role": "assistant", "model": body.get("model", "none"),
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}  # fmt: skip


def responses(stand_in: StandIn, body: dict[str, Any]) -> Iterator[Piece]:
    """The same for Codex: one answer, slowly when the prompt says so."""
    yield {"type": "response.created", "response": {"id": "resp_1"}}
    if "slowly" in json.dumps(body.get("input", [])[-1:]):
        while not stand_in.enough.wait(0.3):
            yield {"type": "response.output_text.delta", "delta": "word ", "item_id": "msg_1", "output_index": 0, "content_index": 0}
    said = {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "All done."}]}
    yield {"type": "response.output_item.done", "output_index": 0, "item": said}
    usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 5, "output_tokens_details": None, "total_tokens": 15}
    yield {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}}
