"""A client of `nln serve`, with nothing but the standard library.

    >>> client = nln.Client("http://127.0.0.1:8080")
    >>> client.recommend(history=[nln.like("i1"), nln.dislike("i2")], k=3)["items"]
    [{'item': 'i9', ...}, ...]
    >>> client.send_events([{"user": "u7", "item": "i9", "rating": 5}])["results"]
    [{'status': 'stored', ...}]

A method is one route of the server and returns its JSON answer as a dictionary; `ROUTES` says which.
A refusal is raised as `ClientError`.  Connections are kept, one for each thread.  The file needs no
other module of the package, so it may be copied to where the library is not.
"""

import http.client
import json
import threading
import urllib.parse

# Method and path of every route, and the method of Client for it.  A path that ends in / has a name
# after it.
ROUTES = {
    ("POST", "/api/v1/recommend"): "recommend",
    ("POST", "/api/v1/explain"): "explain",
    ("POST", "/api/v1/predict"): "predict",
    ("POST", "/api/v1/graph"): "graph",
    ("GET", "/api/v1/model"): "model",
    ("POST", "/api/v1/model/reload"): "reload",
    ("GET", "/api/v1/items"): "items",
    ("GET", "/api/v1/similar"): "similar",
    ("GET", "/api/v1/laws"): "laws",
    ("GET", "/api/v1/map"): "map",
    ("GET", "/api/v1/server"): "server",
    ("POST", "/api/v1/events"): "send_events",
    ("GET", "/api/v1/events"): "events",
    ("GET", "/api/v1/export"): "export",
    ("DELETE", "/api/v1/users/"): "forget",
    ("POST", "/api/v1/train"): "train",
    ("GET", "/api/v1/train"): "training",
    ("GET", "/api/v1/train/stream"): "watch_training",
    ("DELETE", "/api/v1/train"): "stop_training",
    ("GET", "/health/live"): "live",
    ("GET", "/health/ready"): "ready",
    ("GET", "/metrics"): "metrics",
    ("GET", "/openapi.json"): "openapi",
}


class ClientError(Exception):
    """The server has refused: a sentence, the HTTP status, and the field it is about, if any.

    `line` and `column` are the place of a fault in an expression.  `retry_after` is the number of
    seconds after which a 429 or 503 may be tried again.
    """

    def __init__(self, status, error, retry_after=None):
        super().__init__(error.get("message", f"the server answers {status}"))
        self.status = status
        self.field = error.get("field")
        self.line = error.get("line")
        self.column = error.get("column")
        self.retry_after = retry_after


def like(item):
    """An item that was liked, for a history."""
    return {"item": item, "liked": True}


def dislike(item):
    """An item that was disliked, for a history."""
    return {"item": item, "liked": False}


def rated(item, rating):
    """An item with its rating, for a history."""
    return {"item": item, "rating": rating}


def _given(**members):
    return {name: value for name, value in members.items() if value is not None}


def _refusal(response):
    text = response.read()
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        error = {"message": f"the server answers {response.status} {response.reason}"}
    after = response.getheader("Retry-After")
    return ClientError(response.status, error, int(after) if after and after.isdigit() else None)


class Client:
    """A client of the server at `url`; `key` is one of its keys, if it wants one."""

    def __init__(self, url, key=None, timeout=30.0):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address such as http://127.0.0.1:8080")
        self._make = (http.client.HTTPSConnection if parts.scheme == "https"
                      else http.client.HTTPConnection)
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout = timeout
        self._local = threading.local()

    # ---- requests ----

    def _connect(self):
        return self._make(self._host, self._port, timeout=self._timeout)

    def _send(self, connection, method, path, body=None, query=None, headers=None):
        text = self._prefix + path
        if query:
            text += "?" + urllib.parse.urlencode(query)
        headers = {**self._headers, **(headers or {})}
        data = None
        if body is not None:
            data = json.dumps(body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        connection.request(method, text, data, headers)
        response = connection.getresponse()
        if response.status >= 400:
            raise _refusal(response)
        return response

    def _call(self, method, path, body=None, query=None, as_text=False):
        connection = getattr(self._local, "connection", None)
        fresh = connection is None
        if fresh:
            connection = self._local.connection = self._connect()
        try:
            text = self._send(connection, method, path, body, query).read()
        except ClientError:
            raise
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            # A kept connection that the server has closed in between.  A request that may have
            # been taken is not sent again.
            self.close()
            if fresh or method != "GET":
                raise
            return self._call(method, path, body, query, as_text)
        except BaseException:
            self.close()
            raise
        return text.decode() if as_text else json.loads(text) if text else {}

    def _lines(self, path, query=None, headers=None):
        """The lines of a long answer, on a connection of its own."""
        connection = self._connect()
        try:
            for line in self._send(connection, "GET", path, None, query, headers):
                yield line.decode().rstrip("\r\n")
        finally:
            connection.close()

    def close(self):
        """Closes the connection of this thread; the next call opens another."""
        connection = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection:
            connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- answers ----

    def recommend(self, user=None, history=None, k=None, offset=None, exclude=None, only=None,
                  with_seen=None, diversity=None, reasons=None, requests=None):
        """The best items for a known user, or after a history of `like`, `dislike` and `rated`.

        `requests` asks many such questions, dictionaries of the same names, at once.
        """
        return self._call("POST", "/api/v1/recommend", _given(
            user=user, history=history, k=k, offset=offset, exclude=exclude, only=only,
            with_seen=with_seen, diversity=diversity, reasons=reasons, requests=requests))

    def explain(self, item, user=None, history=None):
        """What each part of a history adds to the score of an item."""
        return self._call("POST", "/api/v1/explain", _given(item=item, user=user, history=history))

    def predict(self, expressions):
        """How probable it is that expressions are true."""
        return self._call("POST", "/api/v1/predict", {"expressions": list(expressions)})

    def graph(self, expression):
        """The network of an expression, as written and in normal form."""
        return self._call("POST", "/api/v1/graph", {"expression": expression})

    def similar(self, item, k=None):
        """The items whose vectors are nearest."""
        return self._call("GET", "/api/v1/similar", query=_given(item=item, k=k))

    def items(self, query=None, k=None):
        """Items by the words of their titles."""
        return self._call("GET", "/api/v1/items", query=_given(query=query, k=k))

    def model(self):
        """The card of the model in service."""
        return self._call("GET", "/api/v1/model")

    def laws(self):
        """How well the model keeps the laws of logic."""
        return self._call("GET", "/api/v1/laws")

    def map(self):
        """The vectors on a plane."""
        return self._call("GET", "/api/v1/map")

    # ---- events ----

    def send_events(self, events):
        """Stores likes, dislikes, ratings and retractions; when it returns, they are committed.

        Give each event an `id`, and it is safe to send it again after an error.
        """
        return self._call("POST", "/api/v1/events", {"events": list(events)})

    def events(self, user=None, after=None, k=None):
        """A page of the events; `next` of the answer is `after` of the next page."""
        return self._call("GET", "/api/v1/events", query=_given(user=user, after=after, k=k))

    def export(self):
        """The lines of a ratings file with what all users have said, which `nln train` reads."""
        return self._lines("/api/v1/export")

    def forget(self, user):
        """Removes every event of a user."""
        return self._call("DELETE", "/api/v1/users/" + urllib.parse.quote(user, safe=""))

    # ---- training ----

    def train(self, epochs=None, data=None, name=None, task=None):
        """Starts a training from the store; or on `data`, the text of a file called `name`, for a
        `task`, to be looked at."""
        return self._call("POST", "/api/v1/train",
                          _given(epochs=epochs, data=data, name=name, task=task))

    def training(self):
        """The state of the last training."""
        return self._call("GET", "/api/v1/train")

    def watch_training(self, last_event_id=None):
        """Yields (event, data) of a training as it goes, until it ends."""
        name, data = "message", []
        headers = {"Last-Event-ID": str(last_event_id)} if last_event_id is not None else None
        for line in self._lines("/api/v1/train/stream", headers=headers):
            if line.startswith("event:"):
                name = line[6:].strip()
            elif line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line and data:
                yield name, json.loads("\n".join(data))
                name, data = "message", []

    def stop_training(self):
        """Stops the training that goes on."""
        return self._call("DELETE", "/api/v1/train")

    # ---- operation ----

    def reload(self):
        """Loads the model file again and puts it in service, if it is sound."""
        return self._call("POST", "/api/v1/model/reload")

    def server(self):
        """Requests, latencies, events and memory."""
        return self._call("GET", "/api/v1/server")

    def live(self):
        return self._call("GET", "/health/live")

    def ready(self):
        return self._call("GET", "/health/ready")

    def metrics(self):
        """The metrics as Prometheus reads them."""
        return self._call("GET", "/metrics", as_text=True)

    def openapi(self):
        """The description of all routes."""
        return self._call("GET", "/openapi.json")
