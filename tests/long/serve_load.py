#!/usr/bin/env python3
"""Mixed load on nln serve: serve_load.py PROGRAM [SECONDS]; half an hour unless told otherwise.

Recommendations, reasons, predictions, events, forgotten users, new models, trainings that are
followed, clients that are slow and clients that leave: all at once.  Fails if a request fails that
should not, if the median of the resident memory in the second half after warming up is more than
5 % above that in the first, or if a descriptor is left open; the store opens one more reader where
more ask at once than before, at most one for each thread.  A table of both over time goes to standard output.  Standard library only.
"""
import collections, glob, http.client, json, os, random, shutil, socket, statistics, subprocess
import sys, tempfile, threading, time

program = os.path.abspath(sys.argv[1])
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1800
USERS, ITEMS = 943, 1682
# A writer and a reader for each of the threads of HTTP and of the workers: two files each, and the
# index of the log.
MOST_OF_STORE = 2 * (1 + 2 * os.cpu_count()) + 1
warm = max(seconds / 5, min(60, seconds / 2))

over = threading.Event()
counts = collections.Counter()
problems = []
guard = threading.Lock()


def note(what, status, wanted):
    with guard:
        counts["%s %s" % (what, status)] += 1
        if status not in wanted:
            problems.append("%s: %s" % (what, status))


def run(*arguments):
    subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


class Asker:
    """A connection that is kept, and opened anew every 100 requests."""

    def __init__(self, port):
        self.port, self.connection, self.left = port, None, 0

    def ask(self, what, method, path, body=None, wanted=(200,)):
        if not self.left:
            if self.connection:
                self.connection.close()
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            self.left = 100
        self.left -= 1
        try:
            self.connection.request(method, path, None if body is None else json.dumps(body))
            reply = self.connection.getresponse()
            data = reply.read()
            note(what, reply.status, wanted)
            return data
        except OSError as error:
            self.left = 0
            note(what, type(error).__name__, wanted)

    def close(self):
        if self.connection:
            self.connection.close()


def history(dice, n):
    return [{"item": "i%d" % i, "liked": dice.random() < .7}
            for i in dice.sample(range(1, ITEMS + 1), n)]


def asking(port, seed):
    dice, asker = random.Random(seed), Asker(port)
    while not over.is_set():
        kind = dice.randrange(12)
        if kind < 5:
            asker.ask("recommend", "POST", "/api/v1/recommend", {"history": history(dice, 20)})
        elif kind < 7:
            asker.ask("recommend user", "POST", "/api/v1/recommend",
                      {"user": "u%d" % dice.randint(1, USERS), "k": 5, "reasons": kind == 5})
        elif kind == 7:
            asker.ask("recommend many", "POST", "/api/v1/recommend",
                      {"requests": [{"history": history(dice, 3)} for _ in range(8)]})
        elif kind == 8:
            i, k = dice.sample(range(1, ITEMS), 2)
            asker.ask("predict", "POST", "/api/v1/predict", {"expressions": ["i%d & !i%d" % (i, k)]})
        elif kind == 9:
            asker.ask("graph", "POST", "/api/v1/graph",
                      {"expression": "i%d -> i%d" % (dice.randint(1, 99), dice.randint(1, 99))})
        elif kind == 10:
            asker.ask("similar", "GET", "/api/v1/similar?item=i%d&k=5" % dice.randint(1, ITEMS))
        else:
            asker.ask("bad", "POST", "/api/v1/recommend", {"history": [{"item": 7}]}, (422,))
            asker.ask("metrics", "GET", "/metrics")
        time.sleep(.002)
    asker.close()


def telling(port, seed):
    dice, asker, n = random.Random(seed), Asker(port), 0
    while not over.is_set():
        n += 1
        user = "u%d" % dice.randint(1, USERS)
        events = [{"id": "%d-%d-%d" % (seed, n, i), "user": user, "time": int(time.time()),
                   "item": "i%d" % dice.randint(1, ITEMS), "rating": dice.randint(1, 5)}
                  for i in range(dice.randint(1, 4))]
        asker.ask("events", "POST", "/api/v1/events", {"events": events})
        asker.ask("events listed", "GET", "/api/v1/events?user=%s" % user)
        if n % 20 == 0:
            asker.ask("forget", "DELETE", "/api/v1/users/%s" % user, None, (200, 404))
        time.sleep(.01)
    asker.close()


def swapping(port):
    asker, models = Asker(port), ["first", "second"]
    while not over.wait(5):
        shutil.copy(models[counts["swaps"] % 2], "next")
        os.replace("next", "served")
        asker.ask("reload", "POST", "/api/v1/model/reload")
        counts["swaps"] += 1
    asker.close()


def slow(port):
    """Fifty clients that send a byte a second, until the server has had enough of them."""
    sockets = []
    while not over.wait(1):
        while len(sockets) < 50:
            s = socket.create_connection(("127.0.0.1", port))
            s.sendall(b"POST /api/v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n")
            sockets.append(s)
            counts["slow clients"] += 1
        for s in list(sockets):
            try:
                s.send(b" ")
            except OSError:
                s.close()
                sockets.remove(s)
    for s in sockets:
        s.close()


def leaving(port):
    """Asks for something long and goes away before the answer."""
    body = json.dumps({"requests": [{"history": history(random, 20), "reasons": True}] * 40})
    text = ("POST /api/v1/recommend HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" %
            (len(body), body)).encode()
    while not over.wait(.5):
        s = socket.create_connection(("127.0.0.1", port))
        s.sendall(text[:random.choice([40, len(text) // 2, len(text)])])
        s.close()
        counts["left"] += 1


def training(port):
    """Trainings of a small file, each followed by two streams, one of which leaves early."""
    dice, asker = random.Random(5), Asker(port)
    data = "\n".join("u%d,i%d,%d,%d" % (u, i, dice.randint(1, 5), i)
                     for u in range(60) for i in dice.sample(range(80), 12))
    while not over.wait(10):
        asker.ask("train", "POST", "/api/v1/train",
                  {"data": data, "name": "ratings.csv", "task": "topk", "epochs": 2}, (202, 409))
        early = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        early.request("GET", "/api/v1/train/stream")
        early.getresponse().read(20)
        early.close()
        asker.ask("stream", "GET", "/api/v1/train/stream", None, (200, 204))
    asker.close()


def greet(port, seed):
    """Opens every connection that the server keeps to its store."""
    asker = Asker(port)
    for i in range(30):
        user = "u%d" % (seed * 30 + i + 1)
        asker.ask("events", "POST", "/api/v1/events", {"events": [{"user": user, "item": "i1", "rating": 5}]})
        asker.ask("recommend user", "POST", "/api/v1/recommend", {"user": user})
    asker.close()


def memory(pid):
    with open("/proc/%d/status" % pid) as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def descriptors(pid, of_store=False):
    """How many are open: those of the store, or the others."""
    n = 0
    for name in glob.glob("/proc/%d/fd/*" % pid):
        try:
            n += ("/events" in os.readlink(name)) == of_store
        except OSError:
            pass  # closed in the meantime
    return n


def main():
    run("generate", "ratings", "--users", str(USERS), "--items", str(ITEMS), "--ratings", "100000",
        "--out", "ratings")
    for name, seed in (("first", "1"), ("second", "2")):
        run("train", "ratings", "--task", "topk", "--epochs", "1", "--seed", seed, "--quiet",
            "--out", name)
    shutil.copy("first", "served")
    server = subprocess.Popen([program, "serve", "served", "--listen", "127.0.0.1:0", "--store",
                               "events", "--request-time", "20", "--log", "none"],
                              stdout=subprocess.PIPE, text=True)
    port = int(server.stdout.readline().rstrip("/\n").rsplit(":", 1)[1])
    begin = [threading.Thread(target=greet, args=(port, i)) for i in range(16)]
    for thread in begin:
        thread.start()
    for thread in begin:
        thread.join()
    time.sleep(1)
    idle = descriptors(server.pid)
    work = [(asking, port, 1), (asking, port, 2), (asking, port, 3), (telling, port, 11),
            (telling, port, 12), (swapping, port), (slow, port), (leaving, port), (training, port)]
    threads = [threading.Thread(target=w[0], args=w[1:]) for w in work]
    for thread in threads:
        thread.start()
    begun, samples = time.time(), []
    print("seconds\tmemory_kB\tdescriptors", flush=True)
    while time.time() - begun < seconds and server.poll() is None:
        time.sleep(.5)  # not in step with the swaps, during which there are two models
        samples.append((time.time() - begun, memory(server.pid), descriptors(server.pid)))
        if len(samples) % 120 == 0:
            print("%.0f\t%d\t%d" % samples[-1], flush=True)
    over.set()
    for thread in threads:
        thread.join()
    left = idle + 1
    for _ in range(30):
        time.sleep(1)
        left = descriptors(server.pid) if server.poll() is None else -1
        if left <= idle:
            break
    of_store = descriptors(server.pid, True) if server.poll() is None else -1
    server.terminate()
    code = server.wait(60)
    rows = [s for s in samples if s[0] >= warm]
    half = len(rows) // 2
    before = statistics.median(s[1] for s in rows[:half])
    after = statistics.median(s[1] for s in rows[half:])
    growth = after / before - 1
    print(json.dumps(dict(sorted(counts.items())), indent=1))
    print("memory %.0f kB in the first half after warming up, %.0f kB in the second: %+.2f %%" %
          (before, after, 100 * growth))
    print("descriptors %d idle before, %d idle after; of the store %d" % (idle, left, of_store))
    if growth > .05:
        problems.append("the memory grows")
    if left > idle or left < 0 or of_store > MOST_OF_STORE:
        problems.append("descriptors are left open")
    if code:
        problems.append("the server ended with %d" % code)
    for problem in sorted(set(problems))[:20]:
        print("FAILED: %s" % problem)
    return 1 if problems else 0


if __name__ == "__main__":
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        code = main()
    finally:
        over.set()
        shutil.rmtree(folder)
    sys.exit(code)
